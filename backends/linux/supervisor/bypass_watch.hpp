// Looks for ways past the meter that metered processes have open: often while a process is young, less and less often
// later.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "backends/linux/calls/bypass_account.hpp"
#include "backends/linux/supervisor/shared.hpp"

namespace dpm {

// "nginx (1234)".
std::string name_for_people(ProcessView& kernel, std::uint32_t pid);

class BypassWatch {
 public:
  explicit BypassWatch(Shared& shared) : shared_(shared) {}

  // Called while a call waits.
  void look_for_ring(const MeteredThread& metered);
  // A program has begun in the process. It may end before it is surveyed, without a trace.
  void program_began(TrackedThread& thread, LocalTime time);
  void has_ended(const TrackedThread& thread);

  // The processes that are due for a survey.
  std::vector<std::uint32_t> due(std::int64_t now_ns);
  void add(std::uint32_t pid, const OpenBypasses& open) { account_.add(name_for_people(shared_.kernel, pid), open); }
  // The process makes a call that passes the meter by.
  void passes(Bypass way, std::uint32_t pid);
  std::vector<std::string> warnings() const { return account_.warnings(); }
  std::vector<Loss> losses() const { return account_.losses(); }

 private:
  Shared& shared_;
  std::map<std::uint32_t, std::string> names_;  // of processes that pass the meter by
  BypassAccount account_;
};

}  // namespace dpm
