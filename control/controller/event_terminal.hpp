// A window of its own for the events inside programs, apart from the console where commands are typed (S3 appendix A.1): a terminal by its
// path, as `tty` prints it there, or a pipe that something reads, or a file. It stays when the controller ends.
#pragma once

#include <string>

#include "control/controller/visible.hpp"
#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm::control {

class EventTerminal {
 public:
  static Result<EventTerminal> open(const std::string& path);

  // An error: it has gone, or has taken nothing for a second.
  Result<void> show(const Lines& lines);

 private:
  EventTerminal(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_;
  UniqueFd fd_;
};

}  // namespace dpm::control
