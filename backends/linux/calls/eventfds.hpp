// The eventfds in use, by their number. The kernel reuses a number as soon as the eventfd is closed, and nothing else
// tells one eventfd from the next. So an eventfd counts as closed when the last process that used it has ended.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "backends/linux/calls/flow_table.hpp"

namespace dpm {

class Eventfds {
 public:
  explicit Eventfds(FlowTable& flows) : flows_(flows) {}

  // The eventfd as a stream of units: a write adds units, and a read takes the units that are there. `count`: how many
  // it held when it was first seen.
  Flow& used_by(std::uint32_t pid, std::uint64_t id, std::uint64_t count);
  // The one with this number, if it is in use.
  Flow* find(std::uint64_t id) const;
  // The process has ended, or executed another program: eventfds that only it used are forgotten.
  void left(std::uint32_t pid);

  std::size_t size() const { return eventfds_.size(); }

 private:
  struct Eventfd {
    Flow* flow = nullptr;
    std::set<std::uint32_t> users;  // processes
  };
  FlowTable& flows_;
  std::map<std::uint64_t, Eventfd> eventfds_;                // by number
  std::map<std::uint32_t, std::set<std::uint64_t>> by_pid_;  // numbers
};

}  // namespace dpm
