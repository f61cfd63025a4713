// The program that filters: started with a pipe as its standard input, in the folder of its log, where its output goes
// to filter.out and its errors to filter.err.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class FilterProgram {
 public:
  // An error: it could not be started, and why.
  static Result<FilterProgram> start(const std::vector<std::string>& command, const std::string& folder);

  int pid() const { return pid_; }
  int ended_fd() const { return ended_.get(); }  // readable once it has ended
  int input_fd() const { return input_.get(); }  // writable while it reads

  enum class Written { some, none_now, never_again };
  // As much as its pipe takes; `bytes` says how much.
  Written write(std::string_view text, std::size_t& bytes);
  void close_input() { input_.reset(); }
  void end_by_force(int signal) const;
  // After ended_fd() is readable: "exit status 0", "signal 9 (Killed)".
  std::string reap();

 private:
  FilterProgram(int pid, UniqueFd ended, UniqueFd input)
      : pid_(pid), ended_(std::move(ended)), input_(std::move(input)) {}

  int pid_ = 0;
  UniqueFd ended_, input_;
};

}  // namespace dpm
