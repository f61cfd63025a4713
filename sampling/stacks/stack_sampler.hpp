// Samples the call stacks of processes while they run, with all threads and processes that they start meanwhile.
//
// Names are looked up at the end, so that this takes no time from the programs. A file of code stays open from the first stack in it,
// because a build removes programs that it has just run.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "os/kernel/stack_events.hpp"
#include "os/unique_fd.hpp"
#include "sampling/stacks/named_stacks.hpp"
#include "sampling/stacks/stack_profile.hpp"
#include "trace/symbols/function_table.hpp"

namespace dpm::sampling {

class StackSampler {
 public:
  // Refused with the reason and what to do.
  static Result<StackSampler> open();

  // A process that will execute a program, and is followed from then on.
  void follow_command(std::uint32_t pid);
  // Processes that run now. Those that are followed already, because they were named before or a followed one started them, stay so.
  void follow(const std::vector<std::uint32_t>& pids);

  // Readable when take() should be called; also after each sample.
  int descriptor() const { return events_.descriptor(); }
  void take();

  NamedStacks finish() &&;

 private:
  explicit StackSampler(StackEvents events) : events_(std::move(events)) {}

  void read_records();
  bool may_have_inherited(std::uint32_t pid) const;
  void follow_process(std::uint32_t pid, const std::set<std::uint32_t>& inherited);
  bool attach(std::uint32_t pid, std::uint32_t tid, StackEvents::Begin begin);
  void add_known(std::uint32_t pid, std::uint64_t since_ns);
  std::set<std::uint32_t> pending_beginnings() const;
  void add_before(std::uint64_t time_ns);
  void add(const StackRecord& record);
  void keep_open(std::uint32_t pid);
  void name_stacks();
  std::string function_at(const CodePlace& place);

  StackEvents events_;
  StackProfile profile_;
  StackNaming naming_;
  std::vector<StackRecord> pending_;                                // those of some CPU may be earlier than they are
  std::set<std::uint32_t> followed_;                                // threads
  std::set<std::uint32_t> left_out_;                                // processes
  bool lacks_mappings_ = false;                                     // records were lost since the last follow()
  std::uint64_t lost_until_ns_ = 0;                                 // of beginnings before that the records may be lost
  std::vector<UniqueFd> open_files_;                                // of profile_.files()
  std::map<std::uint32_t, std::unique_ptr<FunctionTable>> tables_;  // by file; null: cannot be read
};

}  // namespace dpm::sampling
