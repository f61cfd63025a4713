#include "twin/model.hpp"

#include <algorithm>
#include <numeric>

namespace dpm::twin {

bool TwinGroup::is_called(const std::string& called) const {
  if (called == name) return true;
  if (!counted || called.size() <= name.size() + 1 || called.compare(0, name.size(), name) != 0) return false;
  const std::string number = called.substr(name.size() + 1);
  return called[name.size()] == '_' && number.front() != '0' && number.size() <= 6 &&
         std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
         std::stoul(number) <= count;
}

std::uint64_t Expected::all_messages() const {
  return std::accumulate(messages.begin(), messages.end(), without_peer,
                         [](std::uint64_t sum, const auto& pair) { return sum + pair.second; });
}

TwinGroup* Twin::find(const std::string& group) {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const TwinGroup& g) { return g.name == group; });
  return found == groups.end() ? nullptr : &*found;
}

}  // namespace dpm::twin
