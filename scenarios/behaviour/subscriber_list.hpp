// The processes on a list of `subscriptions`, in the order in which they subscribed.
//
// Each has a number that it keeps while it is on the list, greater than those of all before it. A choice in turn remembers the
// number of the last one chosen, so it knows which is next even when others have come and gone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dpm {

class SubscriberList {
 public:
  // A process is on the list once.
  void add(const std::string& process);
  void remove(const std::string& process);

  const std::vector<std::string>& names() const { return names_; }
  std::size_t number_of(std::size_t index) const { return numbers_[index]; }
  // The index of the first whose number is greater; of the first of all if there is none.
  std::size_t index_after(std::size_t number) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::size_t> numbers_;  // from 1, by index in names_
  std::size_t last_number_ = 0;
};

}  // namespace dpm
