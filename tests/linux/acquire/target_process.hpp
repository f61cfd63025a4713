// A program of programs/ in a process of its own, its standard input and output in our hands.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "backends/linux/kernel/unique_fd.hpp"

namespace dpm {

class TargetProcess {
 public:
  // `program` is a name in programs/ or a path; `user`: as whom it runs.
  explicit TargetProcess(const std::vector<std::string>& command, uid_t user = 0);
  TargetProcess(const TargetProcess&) = delete;
  ~TargetProcess();  // ends it

  std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }
  std::string read_line(double patience_seconds = 20);  // "(nothing came)" after that, "(it ended)" at the end
  std::string read_rest(double patience_seconds = 20);
  void write(const std::string& text);
  void close_input() { input_.reset(); }
  int wait_for_end();  // its exit status, or minus the signal that killed it

 private:
  pid_t pid_ = -1;
  bool ended_ = false;
  UniqueFd input_, output_;
  std::string read_;
};

// Until the first thread of `pid` sleeps and goes on sleeping. False if it does not.
bool await_sleep(std::uint32_t pid);

}  // namespace dpm
