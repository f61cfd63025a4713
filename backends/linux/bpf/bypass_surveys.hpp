// Looks for ways past the kernel's programs that metered processes have open: memory that they share, and 32-bit code, whose
// calls are not followed. Often while a process is young, less and less often later.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/linux/calls/bypass_account.hpp"

namespace dpm {

class BypassSurveys {
 public:
  // Looks at those of these processes that are due, a few at a time. Costs milliseconds for a large process.
  void look(const std::vector<std::uint32_t>& processes, std::int64_t now_ns);
  std::vector<std::string> warnings() const;

 private:
  struct Turn {
    std::int64_t at_ns = 0, pause_ns = 0;
  };
  void survey(std::uint32_t pid);

  std::unordered_map<std::uint32_t, Turn> turns_;  // by process
  BypassAccount account_;
  std::set<std::string> not_native_;
};

}  // namespace dpm
