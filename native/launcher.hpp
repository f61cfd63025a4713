// Starts the processes of a native run, watches them, and sees to it that none is left.
//
//   start()    listening sockets for all, then a child for each process; all wait at the board's gate
//   watch()    opens the gate when all are there; prints what they say; ends the run for one of the reasons there are
//   outcome()  what the board says when nobody writes on it any more
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "native/board.hpp"
#include "native/frame.hpp"
#include "native/journal.hpp"
#include "native/native_run.hpp"
#include "os/unique_fd.hpp"

namespace dpm::native {

// While it lives, the signals that would end us wait in a descriptor, and children that have ended wait for us, which
// they would not if whoever started us ignored theirs.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

  int descriptor() const { return descriptor_.get(); }
  int take() const;  // the signal that came
  void let_go_of_descriptor() { descriptor_.reset(); }
  const sigset_t& mask_before() const { return before_; }

 private:
  sigset_t before_ = {};
  struct sigaction child_before_ = {};
  UniqueFd descriptor_;
};

class Launcher {
 public:
  Launcher(const Scenario& scenario, const LiveOptions& options) : scenario_(scenario), options_(options) {}
  ~Launcher() { end_all(); }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  Result<void> start();
  void watch();
  NativeOutcome outcome();

 private:
  struct Child {
    pid_t pid = -1;
    UniqueFd descriptor;
    bool is_alive = false;
    std::uint64_t cpu_ns = 0;  // all it used, setting up included
    std::string final_state = "ended";
  };

  Result<void> listen_for_all();
  Result<void> fork_child(std::uint32_t process);

  // ---- watching (watch.cpp)
  void wait_for_news();
  bool is_over();
  void reap_the_dead();
  void reap(std::uint32_t process);
  void read_journal();
  void open_gate_when_all_are_there();
  bool is_at_a_limit();
  bool stands_still();
  std::string what_it_does(std::uint32_t process) const;
  void end(const std::string& ended_by);

  void end_all();

  const Scenario& scenario_;
  const LiveOptions& options_;
  SignalsHeld signals_;
  std::map<std::string, int> core_of_machine_;
  std::optional<Board> board_;
  std::optional<Journal> journal_;
  RunIdentity run_;
  std::vector<UniqueFd> listeners_;  // until their processes have them
  std::vector<std::uint16_t> ports_;
  std::vector<Child> children_;
  std::vector<pollfd> polled_;  // the signals, then the children that live
  std::map<std::uint32_t, std::string> failures_;
  std::size_t not_ended_ = 0;  // processes the run waits for
  std::int64_t started_ns_ = 0;
  std::uint64_t changes_seen_ = 0;
  std::int64_t changed_ns_ = 0;
  NativeOutcome outcome_;
};

}  // namespace dpm::native
