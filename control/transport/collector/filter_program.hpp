// The filter program. It runs in the folder of its log with a pipe as its standard input; its output goes to filter.out,
// its errors to filter.err.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "os/net/descriptor.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class FilterProgram {
 public:
  static Result<FilterProgram> start(asio::io_context& context, const std::vector<std::string>& command,
                                     const std::string& folder);

  int pid() const { return pid_; }
  void when_ended(std::function<void()> then) { ended_->when_readable(std::move(then)); }
  void when_reading(std::function<void()> then) { input_->when_writable(std::move(then)); }

  enum class Written { some, none_now, never_again };
  // Writes as much as the pipe takes: `bytes`.
  Written write(std::string_view text, std::size_t& bytes);
  void close_input() { input_.reset(); }
  void end_by_force(int signal) const;
  // After when_ended(): "exit status 0", "signal 9 (Killed)".
  std::string reap();

 private:
  FilterProgram(asio::io_context& context, int pid, UniqueFd ended, UniqueFd input)
      : pid_(pid),
        ended_(std::make_unique<Descriptor>(context, std::move(ended))),
        input_(std::make_unique<Descriptor>(context, std::move(input))) {}

  int pid_ = 0;
  std::unique_ptr<Descriptor> ended_;  // a pidfd
  std::unique_ptr<Descriptor> input_;
};

}  // namespace dpm
