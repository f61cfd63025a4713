// Starts a program so that it can be metered from its first instruction, and behaves as it would without a meter.
//
// The calling process becomes the program: the process that started it sees the same process id, parent, terminal,
// signals and exit status. Its supervisor is a grandchild, in a session of its own, so that neither sees the other:
//
//     shell ── dpm ──(becomes)──────────────────────────── COMMAND
//               └─ fork ─ fork ─ supervisor (session of its own, parent: init)
//                   └ ends at once
//
// The program waits before its first instruction until start() is called.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "backends/linux/program/metered_program.hpp"
#include "model/result.hpp"

namespace dpm {

struct LaunchOptions {
  bool notifies = true;      // the program's calls wait for a supervisor: the program has a filter, and a listener
  bool exact_paths = false;  // notify socket, connect, dup and close as well: docs/metering.md says what that risks
  // Done by the process that supervises, before the program begins: its CPU time and memory are not the program's. If it
  // fails, nothing has begun, and launch() returns the error in the process that was called.
  std::function<Result<void>()> prepare;
  bool own_session = false;  // of a child: it leads a session, and so a process group, without a terminal
};

class LaunchedProgram {
 public:
  LaunchedProgram(MeteredProgram program, void* gate) : program_(std::move(program)), gate_(gate) {}
  LaunchedProgram(LaunchedProgram&& other) noexcept
      : program_(std::move(other.program_)), gate_(std::exchange(other.gate_, nullptr)) {}
  LaunchedProgram& operator=(LaunchedProgram&&) = delete;
  ~LaunchedProgram();  // a program that was not started ends, with status 2

  MeteredProgram& program() { return program_; }
  void start();  // lets it execute its first instruction; once

 private:
  MeteredProgram program_;
  void* gate_;  // a page shared with the program while it waits
};

// Returns in the supervisor, or if nothing has begun. The supervisor's standard input and output are then /dev/null, so that a reader of the program's
// output does not wait for the supervisor; standard error is the program's.
//
// Like a shell, the process that becomes the program prints a message and exits with 127 if `command` is not found, and
// with 126 if it cannot be executed.
Result<LaunchedProgram> launch(const std::vector<std::string>& command, const LaunchOptions& options);

// The same with the program as a child of the caller, which supervises it and must wait(2) for it. Standard input and
// output are the caller's.
Result<LaunchedProgram> launch_as_child(const std::vector<std::string>& command, const LaunchOptions& options);

// The descriptor number, within the program's own limit, at which the program keeps its listener. If every part of dpm
// is killed, its calls then wait for a new supervisor instead of failing.
int listener_number(std::uint64_t descriptor_limit);

}  // namespace dpm
