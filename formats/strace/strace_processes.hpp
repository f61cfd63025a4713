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

  // The process with this number; one that is not known yet was running before the log began. Number 0 is the first process of a log that
  // has no numbers, or none yet.
  ProcessId at(std::uint32_t tid);
  bool is_running(std::uint32_t tid) const { return running_.contains(tid); }
  std::size_t running() const { return running_.size(); }
  // The number of the only one that runs; 0 if there are several, or none.
  std::uint32_t only_one() const { return running_.size() == 1 ? running_.begin()->first : 0; }
  // What had number 0 has this one.
  void is_first(std::uint32_t tid);
  // Its program, where the log says it (-Y) and no exec has.
  void is_called(ProcessId process, std::string_view command);

  // `parent` created it. A number that was used before, by a process that has ended, is another process.
  ProcessId created(std::uint32_t tid, ProcessId parent, bool is_thread);
  // It executes another program.
  void executes(ProcessId process, std::string_view path);
  void ended(std::uint32_t tid);
  // A thread of the process `leader` executed another program: it has the leader's number from now on.
  void superseded(std::uint32_t thread, std::uint32_t leader);

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
