// Where the processes of a running program may run: what a scheduler asks of a system, and changes.
//
// A place is a core, a group of cores, a NUMA node: to a scheduler, a machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/result.hpp"

namespace dpm {

struct ProcessPlace {
  std::string name;
  std::uint16_t cores = 1;
  bool usable = true;  // false: its cores are offline
};

class ProcessPlacing {
 public:
  virtual ~ProcessPlacing() = default;

  // As they are now. Their number and order never change.
  virtual std::vector<ProcessPlace> places() = 0;
  // Where the thread ran last; nothing if it has ended, or ran outside of all places.
  virtual std::optional<std::size_t> place_of(std::uint32_t pid, std::uint32_t tid) = 0;
  // All threads of the process run there from now on, and the processes that it starts. If that cannot be done, the
  // process is let go.
  virtual Result<void> put(std::uint32_t pid, std::size_t place) = 0;
  // The process may run again where it might before the first put(). Not an error if it has ended.
  virtual Result<void> let_go(std::uint32_t pid) = 0;
};

}  // namespace dpm
