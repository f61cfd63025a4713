// What /proc says about a thread. It is read when the supervisor first meets the thread, never while a call waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "os/unique_fd.hpp"

namespace dpm {

struct ThreadStatus {
  std::uint32_t tid = 0, pid = 0, parent_pid = 0, tracer_pid = 0;
  std::uint32_t user_id = 0;
  int thread_count = 1;
  int descriptor_table_size = 0;  // up to this number a descriptor needs no larger table
  bool kernel_thread = false;
  char state = '?';               // as ps shows it: R, S, D, T, Z, ...
  bool may_administrate = false;  // CAP_SYS_ADMIN
  bool no_new_privileges = false;
  bool strict_seccomp = false;  // may only read, write and exit
  int seccomp_filters = 0;
};
std::optional<ThreadStatus> read_status(std::uint32_t tid);

std::string read_command_name(std::uint32_t pid, std::uint32_t tid);  // /proc/PID/task/TID/comm; empty if gone
std::string read_program_path(std::uint32_t pid);                     // where /proc/PID/exe leads; empty if not ours
std::vector<std::uint32_t> read_thread_ids(std::uint32_t pid);
// Whether the thread has ended or is ending, before its state shows it; nothing if there is no such thread.
std::optional<bool> is_ending(std::uint32_t pid, std::uint32_t tid);
// The numbers of the process, or of its process group, in each process namespace that it is in, from that of /proc
// inwards. Costs 20 us; empty if it is gone.
enum class InnerNumbers : std::uint8_t { process, group };
std::vector<std::uint32_t> read_inner_numbers(std::uint32_t pid, InnerNumbers which);
// When the thread began, since boot, in ticks of 10 ms; 0 if it is gone.
std::uint64_t read_beginning_ns(std::uint32_t pid, std::uint32_t tid);

// Whether the thread waits in a system call whose first argument is this descriptor; not if a tracer has stopped it on the way in or
// out. The kernel does not tell whether a running thread is inside a call.
enum class CallState : std::uint8_t { in_call, elsewhere, running };
CallState call_state(std::uint32_t pid, std::uint32_t tid, std::int32_t descriptor);

// The mapping of the process's memory that holds this address.
struct CodeRegion {
  std::uint64_t start = 0, end = 0, file_offset = 0;
  std::string path;
};
std::optional<CodeRegion> code_region(std::uint32_t pid, std::uint64_t address);
// All executable mappings of files.
std::vector<CodeRegion> code_regions(std::uint32_t pid);

// The number of runnable tasks on this machine, at most a millisecond old. A reading costs 1.3 us.
class LoadGauge {
 public:
  LoadGauge();
  std::uint16_t runnable(std::int64_t now_ns);

 private:
  UniqueFd file_;
  std::int64_t read_at_ns_ = -1;
  std::uint16_t runnable_ = 0;
};

}  // namespace dpm
