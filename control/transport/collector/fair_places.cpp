#include "control/transport/collector/fair_places.hpp"

#include <algorithm>

namespace dpm {

std::optional<FairPlaces::Number> FairPlaces::enter(Number number, const std::string& from) {
  numbers_[from].push_back(number);
  from_[number] = from;
  return from_.size() > max_ ? evict() : std::nullopt;
}

void FairPlaces::leave(Number number) {
  const auto known = from_.find(number);
  if (known == from_.end()) return;
  const auto group = numbers_.find(known->second);
  std::erase(group->second, number);
  if (group->second.empty()) numbers_.erase(group);
  from_.erase(known);
}

std::optional<FairPlaces::Number> FairPlaces::evict() {
  const auto goes_later = [](const auto& one, const auto& other) {
    const auto &mine = one.second, &theirs = other.second;
    return mine.size() != theirs.size() ? mine.size() < theirs.size() : mine.front() > theirs.front();
  };
  const auto most = std::max_element(numbers_.begin(), numbers_.end(), goes_later);
  if (most == numbers_.end()) return std::nullopt;
  const Number number = most->second.front();
  leave(number);
  return number;
}

}  // namespace dpm
