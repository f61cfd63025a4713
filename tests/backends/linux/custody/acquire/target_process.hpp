// A program of programs/ in a process of its own, its standard input and output in our hands.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "os/unique_fd.hpp"

namespace dpm {

class TargetProcess {
 public:
  // `program` is a name in programs/ or a path; `user`: as whom it runs.
  explicit TargetProcess(const std::vector<std::string>& command, uid_t user = 0);
  TargetProcess(const TargetProcess&) = delete;
  ~TargetProcess();  // ends it

  std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }
  std::string read_line(double patience_seconds = 60);  // "(nothing came)" after that, "(it ended)" at the end
  std::string read_rest(double patience_seconds = 60);
  void write(const std::string& text);
  void close_input() { input_.reset(); }
  void tell_to_end() { ::kill(pid_, SIGUSR1); }
  int wait_for_end();  // its exit status, or minus the signal that killed it

 private:
  pid_t pid_ = -1;
  bool ended_ = false;
  UniqueFd input_, output_;
  std::string read_;
};

// Looks again and again, for a minute at most.
bool becomes_true(const std::function<bool()>& condition);
// Until the first thread of `pid` sleeps and goes on sleeping. False if it does not.
bool await_sleep(std::uint32_t pid);
// Until the process has computed for a while from now on: some milliseconds of CPU time.
bool await_computing(std::uint32_t pid);
// Until its calls have written that many more bytes.
bool await_writing(std::uint32_t pid, std::uint64_t bytes);

}  // namespace dpm
