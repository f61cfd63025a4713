// The filter program. It runs in the folder of its log with a pipe as its standard input; its output goes to filter.out,
// its errors to filter.err. It may report the state of its log (trace/filter_account.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "os/net/descriptor.hpp"
#include "os/unique_fd.hpp"
#include "trace/filter_account.hpp"

namespace dpm {

class FilterProgram {
 public:
  static Result<FilterProgram> start(asio::io_context& context, const std::vector<std::string>& command,
                                     const std::string& folder);

  int pid() const { return pid_; }
  void when_ended(std::function<void()> then) { ended_->when_readable(std::move(then)); }
  // `then` is called each time that it has reported; never after this object is destroyed.
  void when_reported(std::function<void()> then);
  void read_reports() { reports_->read(); }
  const FilterAccount& account() const { return reports_->account; }
  void when_reading(std::function<void()> then) { input_->when_writable(std::move(then)); }

  enum class Written { some, none_now, never_again };
  // Writes as much as the pipe takes: `bytes`.
  Written write(std::string_view text, std::size_t& bytes);
  void close_input() { input_.reset(); }
  void end_by_force(int signal) const;
  // After when_ended(): "exit status 0", "signal 9 (Killed)".
  std::string reap();

 private:
  struct Reports {
    Reports(asio::io_context& context, UniqueFd fd) : socket(context, std::move(fd)) {}
    void read();

    Descriptor socket;
    std::string unread;  // the beginning of a line
    FilterAccount account;
    std::function<void()> then;
  };

  FilterProgram(asio::io_context& context, int pid, UniqueFd ended, UniqueFd input, UniqueFd reports)
      : pid_(pid),
        ended_(std::make_unique<Descriptor>(context, std::move(ended))),
        input_(std::make_unique<Descriptor>(context, std::move(input))),
        reports_(std::make_unique<Reports>(context, std::move(reports))) {}

  int pid_ = 0;
  std::unique_ptr<Descriptor> ended_;  // a pidfd
  std::unique_ptr<Descriptor> input_;
  std::unique_ptr<Reports> reports_;
};

}  // namespace dpm
