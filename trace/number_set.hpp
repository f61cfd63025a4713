// A set of numbers that mostly come in order: it stores where runs of them begin and end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

namespace dpm {

class NumberSet {
 public:
  bool contains(std::uint32_t number) const {
    const auto after = runs_.upper_bound(number);
    return after != runs_.begin() && std::prev(after)->second >= number;
  }

  void insert(std::uint32_t number) {
    if (contains(number)) return;
    std::uint32_t first = number, last = number;
    if (const auto next = runs_.find(number + 1); number != UINT32_MAX && next != runs_.end()) {
      last = next->second;
      runs_.erase(next);
    }
    if (const auto after = runs_.upper_bound(number); after != runs_.begin()) {
      const auto before = std::prev(after);
      if (before->second + std::uint64_t{1} == number) first = before->first;
    }
    runs_[first] = last;
  }

  std::size_t pieces() const { return runs_.size(); }

 private:
  std::map<std::uint32_t, std::uint32_t> runs_;  // first to last
};

}  // namespace dpm
