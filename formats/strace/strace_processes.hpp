// The processes and threads of a strace log, by their numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/strace/strace_origins.hpp"
#include "model/trace_info.hpp"

namespace dpm {

class StraceProcesses {
 public:
  explicit StraceProcesses(TraceInfo& info) : info_(info) {}

  // The process of this line; one that is not known yet was running before the log began.
  ProcessId at(std::uint32_t tid);

  // `parent` created it. A number that was used before, by a process that has ended, is another process.
  ProcessId created(std::uint32_t tid, ProcessId parent, bool is_thread);
  // It executes another program.
  void executes(ProcessId process, std::string_view path);
  void ended(std::uint32_t tid);

  // The process with this number that has ended last; none: the log has none.
  ProcessId last_ended(std::uint32_t tid) const;

  // The log has been read: groups and programs of processes that worked before the log says that they were created.
  void settle();

 private:
  ProcessId add(std::uint32_t tid, ProcessId parent, bool is_thread, bool acquired);
  void was_created(ProcessId child, ProcessId parent, bool is_thread);
  StraceOrigin origin(ProcessId parent, bool is_thread) const;
  ProcessId group_of(ProcessId process) const;
  bool begins_as(ProcessId process, const StraceBeginning& beginning);  // whether that is news
  std::string unique_name(std::string_view program);
  std::string thread_name(const ProcessInfo& thread) const;

  TraceInfo& info_;
  std::unordered_map<std::uint32_t, ProcessId> running_, ended_;
  std::vector<StraceOrigin> origins_;                        // by process
  std::vector<bool> has_executed_;                           // by process
  std::map<std::string, std::uint32_t, std::less<>> named_;  // how many processes have had this name
};

}  // namespace dpm
