// What the tests of keepers play with: a program that carries the real filter, small meters to be killed, and a folder
// of sockets of their own. All of them end with the test, however it ends.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "os/unique_fd.hpp"

namespace dpm {

// Sets XDG_RUNTIME_DIR to a new private directory as long as it lives, and adopts the processes that detach
// themselves. The test fails if any process is left when it ends.
class PrivateRuntime {
 public:
  explicit PrivateRuntime(uid_t owner = 0);
  ~PrivateRuntime();
  PrivateRuntime(const PrivateRuntime&) = delete;
  PrivateRuntime& operator=(const PrivateRuntime&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_, before_;
};

// Looks repeatedly, for at most a minute.
bool becomes_true(const std::function<bool()>& condition);

// No process that we started, or that these have detached, is left after a while.
bool all_processes_end();
// The number of sockets in our private folder, with or without a process behind them.
std::size_t sockets_left();

// In memory that the test shares with the program.
struct ProgramState {
  std::atomic<std::uint32_t> listener{0};  // the number of its listener, plus 1
  std::atomic<bool> begin{false}, stop{false};
  std::atomic<bool> call_once{false};  // for bodies that wait to be told
  std::atomic<std::uint64_t> rounds{0};
  std::atomic<std::uint64_t> failed_calls{0};
  std::atomic<int> error_number{0};          // of the last failed call
  std::atomic<std::uint64_t> held_calls{0};  // that a meter has in its hands
  std::atomic<std::uint32_t> child{0};       // what a body has started
};

// A process that carries the meter's filter from its start on, and holds its listener as a launched program does.
class ProgramUnderTest {
 public:
  using Body = std::function<void(ProgramState&)>;

  explicit ProgramUnderTest(const Body& body);
  ~ProgramUnderTest();  // kills it, if it has not been waited for
  ProgramUnderTest(const ProgramUnderTest&) = delete;
  ProgramUnderTest& operator=(const ProgramUnderTest&) = delete;

  std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }
  ProgramState& state() const { return *state_; }
  UniqueFd borrow_listener() const;

  void begin() { state_->begin = true; }
  bool goes_on() const;  // a hundred more rounds are made, without waiting for long
  bool stands_still() const;
  int end();  // asks it to stop and returns its exit status; -1: killed, or it does not end

 private:
  pid_t pid_ = -1;
  ProgramState* state_ = nullptr;
};

// Bodies of programs: messages to and fro until the test says stop. With 0 pairs one thread has both ends; otherwise
// each end of each pair has a thread.
enum class ResolvedChannel { socketpair, pipe, tcp };
ProgramUnderTest::Body ping_pong(ResolvedChannel way, int pairs);
// One call that is notified, and by itself would not wait.
void read_once(ProgramState& state);

// A process that meters a program as simply as can be.
class SmallMeter {
 public:
  enum class Start { first, take_over, rescue };
  enum class Habit { answers, holds_all, holds_first };

  // `process` is the program's or any other of it. Returns when it meters, or has said why not.
  SmallMeter(const ProgramUnderTest& program, Start start, Habit habit = Habit::answers, std::uint32_t process = 0);
  ~SmallMeter();  // kills it
  SmallMeter(SmallMeter&& other) noexcept;
  SmallMeter& operator=(SmallMeter&&) = delete;

  bool meters() const { return said_.starts_with("meters"); }
  const std::string& said() const { return said_; }  // "meters PID from_start privileges COMMAND", or the refusal
  std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }

  void kill();
  void leave();  // lets the keeper answer, and goes on doing nothing
  bool ends();   // by itself, because the program has ended

 private:
  pid_t pid_ = -1;
  std::string said_;
  UniqueFd orders_;
};

// 0 if it has none.
std::uint32_t keeper_of(const ProgramUnderTest& program);
void kill_and_wait(std::uint32_t pid);

}  // namespace dpm
