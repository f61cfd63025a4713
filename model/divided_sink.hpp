// An analysis whose work several processes can share. Each part sees the events of some processes of the trace, in the place
// of all. In rounds the parts tell each other what they need, and then one of them takes what the others have, and has the
// result that an analysis of all events has, bit for bit.
//
//     part 0   divide  on_begin  on_events...  put_for, take_from (rounds() times)        take(part 1)  on_end
//     part 1   divide  on_begin  on_events...  put_for, take_from (rounds() times)  give
//
// Where a result depends on how the events of different processes alternate, as after migrations, it cannot be divided.
#pragma once

#include <cstdint>
#include <vector>

#include "model/bytes.hpp"
#include "model/event_source.hpp"

namespace dpm {

// Which part sees the events of which process. Threads are in the part of their process.
class Shares {
 public:
  Shares() = default;
  Shares(std::uint32_t own, std::uint32_t parts, std::vector<std::uint32_t> part_of_process)
      : own_(own), parts_(parts), part_of_(std::move(part_of_process)) {}

  std::uint32_t own() const { return own_; }
  std::uint32_t parts() const { return parts_; }
  bool has(ProcessId process) const { return process.value < part_of_.size() && part_of_[process.value] == own_; }
  // `parts()` of a process that has no events.
  std::uint32_t part_of(ProcessId process) const {
    return process.value < part_of_.size() ? part_of_[process.value] : parts_;
  }

 private:
  std::uint32_t own_ = 0, parts_ = 1;
  std::vector<std::uint32_t> part_of_;
};

class DividedSink : public EventSink {
 public:
  // Before on_begin().
  virtual void divide(const Shares& /*shares*/) {}
  virtual int rounds() const { return 0; }
  // `for_part` has a writer for each part.
  virtual void put_for(const Shares& /*shares*/, int /*round*/, std::vector<ByteWriter>& /*for_part*/) {}
  virtual void take_from(const Shares& /*shares*/, int /*round*/, std::uint32_t /*part*/, ByteReader& /*in*/) {}

  // False: each part keeps what it has, and no part gives or takes.
  virtual bool is_gathered() const { return true; }
  // What is this part's own.
  virtual void give(ByteWriter& out) = 0;
  virtual void take(ByteReader& in) = 0;

  // False: the parts together may differ from the whole. Asked after the rounds, and of the part that took once more after
  // on_end().
  virtual bool is_divisible() const { return true; }
};

}  // namespace dpm
