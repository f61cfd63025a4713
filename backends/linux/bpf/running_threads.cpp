#include "backends/linux/bpf/running_threads.hpp"

#include <cerrno>
#include <set>

#include "os/kernel/process_files.hpp"
#include "os/kernel/tracee.hpp"
#include "os/process_handle.hpp"

namespace dpm {

// Those that a thread starts once it is followed are followed too. So when all that are listed are followed, all are.
Result<void> follow_all_threads(std::uint32_t pid, KernelPrograms& programs) {
  std::set<std::uint32_t> followed;
  bool any_lives = false;
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (const std::uint32_t tid : read_thread_ids(pid)) {
      if (!followed.insert(tid).second) continue;
      is_new = true;
      const UniqueFd thread = open_thread(tid, pid);
      if (!thread && errno == ESRCH) continue;  // it has ended
      if (!thread) return Error::from_errno("watch a thread of it");
      if (process_of(thread.get()) != tid && tid != pid)
        return Error{
            "Linux 6.9 is needed to follow the threads of a running process; --source notify does not need it"};
      if (auto done = programs.follow(thread.get(), {.tid = tid, .pid = pid}); !done && errno != ESRCH)
        return done.error();
      any_lives |= !is_ending(pid, tid).value_or(true);
    }
  }
  if (followed.empty()) return Error{"there is no such process"};
  if (!any_lives) return Error{"it has ended already"};
  return {};
}

}  // namespace dpm
