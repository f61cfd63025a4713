// All threads of the machine at one instant, from a source that sees them in one pass.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "sampling/states/proc_text.hpp"
#include "sampling/states/system_calls.hpp"

namespace dpm::sampling {

// What /proc would show of a thread.
struct TaskLook {
  std::uint32_t thread = 0;
  std::int64_t seen_ns = 0;  // on the clock that is never set
  StatLine stat;
  CpuCounters counters;
  // Of a thread that waits, of a process that is wanted or whose parent is.
  SystemCall call;
  std::string_view wchan;  // valid as long as the source
};

class TaskTable {
 public:
  void clear() { tasks_.clear(); }
  void add(std::uint32_t process, TaskLook task) { tasks_[process].push_back(task); }

  std::vector<std::uint32_t> processes() const;
  // Empty if there is not such a process.
  std::span<const TaskLook> threads_of(std::uint32_t process) const;

 private:
  std::map<std::uint32_t, std::vector<TaskLook>> tasks_;
};

class TaskLooker {
 public:
  virtual ~TaskLooker() = default;

  // The table is that of this instant. False if the kernel did not answer; the table is then empty.
  virtual bool look(TaskTable& table) = 0;
  // Where threads of the others wait is not looked for: that is most of the cost.
  virtual void want(std::uint32_t process, bool is_wanted) = 0;
};

}  // namespace dpm::sampling
