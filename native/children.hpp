// The operating system processes of a native run, as the launcher sees them: started in the order of the scenario,
// waited for, and none left behind.
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

  Children() = default;
  ~Children() { end_all(); }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  // Starts the next process. `run` is called in it, and must not return.
  Result<void> start(const std::string& name, const std::function<void()>& run);

  std::uint32_t size() const { return static_cast<std::uint32_t>(children_.size()); }
  bool is_alive(std::uint32_t process) const { return children_[process].is_alive; }
  // Of an ended process: all it used, setting up included.
  std::uint64_t cpu_ns(std::uint32_t process) const { return children_[process].cpu_ns; }
  // The kernel says that each of them sleeps: one that has been woken and waits for a CPU does not.
  bool all_sleep() const;

  // Waits until a process ends, `other` can be read, or the time has passed. True if `other` can be read.
  bool wait(int other, int timeout_ms);
  // The processes that wait() saw end.
  std::vector<Ended> reap_ended();

  // Ends those that live. Services have a second to write their counts; then they are killed.
  void end_all();

 private:
  struct Child {
    pid_t pid = -1;
    UniqueFd descriptor;
    bool is_alive = false;
    std::uint64_t cpu_ns = 0;
  };

  int reap(Child& child);

  std::vector<Child> children_;
  std::vector<pollfd> polled_;  // `other`, then the processes that live
};

}  // namespace dpm::native
