#include "analysis/prediction/placements.hpp"

#include <limits>
#include <map>
#include <set>

namespace dpm {
namespace {

constexpr std::uint32_t kUnset = 0xffffffffu;

class Enumeration {
 public:
  Enumeration(const PlacementSpace& space, const std::function<bool(const std::vector<std::uint32_t>&)>& visit)
      : space_(space), visit_(visit), placement_(space.processes), used_(space.machines.size()) {}

  std::uint64_t run() {
    place(0);
    return visited_;
  }

 private:
  bool place(std::size_t process) {
    if (process == space_.processes) {
      ++visited_;
      return visit_(placement_);
    }
    for (std::uint32_t m = 0; m < space_.machines.size(); ++m) {
      if (used_[m] == 0 && !first_unused_of_its_kind(m)) continue;
      placement_[process] = m;
      ++used_[m];
      const bool go_on = place(process + 1);
      --used_[m];
      if (!go_on) return false;
    }
    return true;
  }

  bool first_unused_of_its_kind(std::uint32_t machine) const {
    for (std::uint32_t m = 0; m < machine; ++m) {
      if (used_[m] == 0 && space_.kind_of[m] == space_.kind_of[machine]) return false;
    }
    return true;
  }

  const PlacementSpace& space_;
  const std::function<bool(const std::vector<std::uint32_t>&)>& visit_;
  std::vector<std::uint32_t> placement_;
  std::vector<std::uint32_t> used_;
  std::uint64_t visited_ = 0;
};

}  // namespace

std::uint64_t for_each_placement(const PlacementSpace& space,
                                 const std::function<bool(const std::vector<std::uint32_t>&)>& visit) {
  return Enumeration(space, visit).run();
}

std::vector<std::uint32_t> canonical(const PlacementSpace& space, const std::vector<std::uint32_t>& placement) {
  std::vector<std::uint32_t> renamed(space.machines.size(), kUnset), result;
  std::vector<bool> taken(space.machines.size());
  for (const std::uint32_t machine : placement) {
    if (renamed[machine] == kUnset) {
      std::uint32_t m = 0;
      while (taken[m] || space.kind_of[m] != space.kind_of[machine]) ++m;
      renamed[machine] = m;
      taken[m] = true;
    }
    result.push_back(renamed[machine]);
  }
  return result;
}

std::uint64_t renamings_of(const PlacementSpace& space, const std::vector<std::uint32_t>& placement) {
  std::map<std::uint32_t, std::uint64_t> machines_of_kind;
  for (const std::uint32_t kind : space.kind_of) ++machines_of_kind[kind];
  const std::set<std::uint32_t> used(placement.begin(), placement.end());
  std::uint64_t renamings = 1;
  for (const std::uint32_t machine : used) {
    std::uint64_t& left = machines_of_kind[space.kind_of[machine]];
    if (renamings > std::numeric_limits<std::uint64_t>::max() / left) return std::numeric_limits<std::uint64_t>::max();
    renamings *= left--;
  }
  return renamings;
}

}  // namespace dpm
