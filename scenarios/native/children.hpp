// The operating system processes of a native run, as the launcher sees them: each is started at most once, at any time,
// waited for, stopped and continued, and none is left behind.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm::native {

class Children {
 public:
  struct Ended {
    std::uint32_t process = 0;  // its number in the scenario
    int status = 0;             // as wait() tells it
  };

  explicit Children(std::size_t processes) : children_(processes) {}
  ~Children() { end_all(); }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  // `run` is called in the new process, and must not return.
  Result<void> start(std::uint32_t process, const std::string& name, const std::function<void()>& run);

  std::uint32_t size() const { return static_cast<std::uint32_t>(children_.size()); }
  bool is_alive(std::uint32_t process) const { return children_[process].is_alive; }
  // Of an ended process: all it used, setting up included.
  std::uint64_t cpu_ns(std::uint32_t process) const { return children_[process].cpu_ns; }
  pid_t pid(std::uint32_t process) const { return children_[process].pid; }
  // The kernel says that each of them sleeps or was stopped here: one that has been woken and waits for a CPU does not.
  bool all_sleep() const;

  // It uses no CPU time until it is resumed. Only the kernel knows: the process sees nothing but the time.
  void stop(std::uint32_t process);
  void resume(std::uint32_t process);

  // Waits until a process ends, one of `others` is ready, or the time has passed.
  void wait(std::vector<pollfd>& others, int timeout_ms);
  // The processes that wait() saw end; to be called before one is started or ended.
  std::vector<Ended> reap_ended();

  // Ends one that lives, or all. Each has a second to write its counts; then it is killed.
  void end(std::uint32_t process);
  void end_all();

 private:
  struct Child {
    pid_t pid = -1;
    UniqueFd descriptor;
    bool is_alive = false;
    bool is_stopped = false;
    std::uint64_t cpu_ns = 0;
  };

  static void tell_to_end(const Child& child);
  void await_end(Child& child, std::int64_t deadline_ns);
  int reap(Child& child);

  std::vector<Child> children_;
  std::vector<pollfd> polled_;  // the processes that live, then the others
};

}  // namespace dpm::native
