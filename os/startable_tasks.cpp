#include "os/startable_tasks.hpp"

#include <fmt/format.h>

#include <latch>
#include <system_error>
#include <utility>
#include <vector>

namespace dpm {

unsigned startable_tasks(unsigned wanted) {
  std::latch counted(1);
  std::vector<std::thread> started;
  while (started.size() < wanted) {
    auto thread = start_thread([&counted] { counted.wait(); });
    if (!thread) break;
    started.push_back(*std::move(thread));
  }
  counted.count_down();
  for (std::thread& thread : started) thread.join();
  return static_cast<unsigned>(started.size());
}

Result<void> need_tasks(const std::string& user, unsigned needed) {
  const unsigned startable = startable_tasks(needed);
  if (startable == needed) return {};
  return Error{
      fmt::format("{} needs {} processes and threads beside the program, and can start {}: raise pids.max of the "
                  "cgroup (docker and "
                  "podman: --pids-limit; systemd: TasksMax), or 'ulimit -u', before dpm",
                  user, needed, startable)};
}

Result<std::thread> start_thread(std::function<void()> work) {
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error& refused) {
    return Error{
        fmt::format("start a thread: {} (raise pids.max of the cgroup, or 'ulimit -u')", refused.code().message())};
  }
}

}  // namespace dpm
