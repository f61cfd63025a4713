// Starts `dpm meter` for a command, out of sight: what the command prints goes to a file, so that the terminal is free.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "model/result.hpp"

namespace dpm::cli {

class MeteredCommand {
 public:
  // `output` is the directory that `dpm meter` makes; what the command prints goes to `output`.log, which must be new.
  static Result<MeteredCommand> start(const std::vector<std::string>& command, const std::string& output);

  // Waits for the trace's first file. An error has what was printed, if the command ended without one.
  Result<void> await_trace();
  // Asks without waiting.
  bool has_ended();
  const std::string& log() const { return log_; }
  const std::string& output() const { return output_; }
  pid_t pid() const { return pid_; }

 private:
  MeteredCommand(std::string output, std::string log, pid_t pid)
      : output_(std::move(output)), log_(std::move(log)), pid_(pid) {}

  std::string output_, log_;
  pid_t pid_ = 0;
  bool has_ended_ = false;
};

}  // namespace dpm::cli
