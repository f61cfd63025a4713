// Forks, execs and ends of processes, as the kernel announces them (the process events connector), without stopping any
// process. A FORK is always announced before the child's first notified call waits.
//
// Works in the initial network, user and process namespaces only; elsewhere open() returns the reason, and the caller
// reads /proc instead.
#pragma once

#include <cstdint>
#include <functional>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

struct ProcessChange {
  enum class Kind : std::uint8_t { fork, exec, exit };
  Kind kind = Kind::fork;
  std::uint32_t tid = 0, pid = 0;                // the child of a fork
  std::uint32_t parent_tid = 0, parent_pid = 0;  // fork: the thread that performed it
  std::uint32_t exit_code = 0;                   // as wait(2) would report it
  std::uint64_t boot_time_ns = 0;                // by the kernel's monotonic clock
};

class ProcessConnector {
 public:
  static Result<ProcessConnector> open();

  int fd() const { return fd_.get(); }

  // Hands over the announcements so far. False if the kernel dropped some since the last time.
  bool drain(const std::function<void(const ProcessChange&)>& take);

 private:
  explicit ProcessConnector(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace dpm
