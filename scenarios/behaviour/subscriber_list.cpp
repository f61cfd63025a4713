#include "scenarios/behaviour/subscriber_list.hpp"

#include <algorithm>

namespace dpm {

void SubscriberList::add(const std::string& process) {
  if (std::find(names_.begin(), names_.end(), process) != names_.end()) return;
  names_.push_back(process);
  numbers_.push_back(++last_number_);
}

void SubscriberList::remove(const std::string& process) {
  const auto found = std::find(names_.begin(), names_.end(), process);
  if (found == names_.end()) return;
  numbers_.erase(numbers_.begin() + (found - names_.begin()));
  names_.erase(found);
}

std::size_t SubscriberList::index_after(std::size_t number) const {
  const auto next = std::upper_bound(numbers_.begin(), numbers_.end(), number);
  return next == numbers_.end() ? 0 : static_cast<std::size_t>(next - numbers_.begin());
}

}  // namespace dpm
