// `dpm meter --audit`: a second ledger (backends/linux/audit) beside the recording, and what differs between the two.
//
// It begins before the program's first instruction. At the end, audit.json in the output folder has all of it, and standard error a table
// for people. The process that stays beside the program reads audit.json, because its exit status says that the two differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backends/linux/audit/kernel_counter.hpp"
#include "backends/linux/audit/socket_counter.hpp"
#include "cli/meter/metering.hpp"
#include "cli/output_folder.hpp"
#include "text/terminal.hpp"

namespace dpm::cli {

inline constexpr int kAuditDiffers = 3;  // exit status

class AuditRun {
 public:
  // Counts for this process, from its next execve() on.
  static AuditRun begin(std::uint32_t pid);

  // When the trace is complete. `cost_is_subtracted`: from the trace's CPU times.
  Result<void> end(const Recorded& recorded, bool cost_is_subtracted, const OutputFolder& folder, Terminal& terminal);

 private:
  std::optional<audit::KernelCounter> kernel_;
  std::optional<audit::SocketCounter> sockets_;
  std::string no_kernel_, no_sockets_;  // why there is none
};

// Of the process that stays beside the program: whether the audit has failed the run, with a line for people that shows the program's own
// status (as waitpid() has it).
bool has_failed(const OutputFolder& folder, int program_status, Terminal& terminal);

}  // namespace dpm::cli
