// One vector clock: how many events of each process have happened, up to some event.
//
// Most processes hear of few others, so a clock is a sorted list of those it has heard of. A clock that knows many becomes an
// array: the maximum of two arrays takes 0.1 ns an entry, of two lists about 2 ns.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dpm {

class VectorClock {
 public:
  std::uint32_t count_of(std::uint32_t process) const;
  // At least `count` events of the process have happened.
  void raise(std::uint32_t process, std::uint32_t count);
  void join(const VectorClock& other);

  // Calls visit(process, count) by increasing process, for counts above 0.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const auto& [process, count] : list_) visit(process, count);
    for (std::uint32_t process = 0; process < array_.size(); ++process)
      if (array_[process] != 0) visit(process, array_[process]);
  }

 private:
  using Entry = std::pair<std::uint32_t, std::uint32_t>;  // process, count

  bool is_array() const { return !array_.empty(); }
  bool is_worth_an_array() const;
  void become_array();

  std::vector<Entry> list_;           // empty if it is an array
  std::vector<std::uint32_t> array_;  // by process
};

}  // namespace dpm
