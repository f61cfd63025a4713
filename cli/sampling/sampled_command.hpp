// The command after --: started for the sampler, as by time(1). What it starts and leaves behind becomes our child, so that
// it is found however short its parent lived.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm::cli {

class SampledCommand {
 public:
  // It does not begin before begin(), and never if there is none: what cannot be sampled does not run unseen.
  static Result<SampledCommand> prepare(const std::vector<std::string>& words);
  void begin();

  std::uint32_t pid() const { return pid_; }
  int descriptor() const { return process_.get(); }  // readable when it has ended
  // Buries what has ended. True when the command itself has.
  bool has_ended();
  int exit_status() const { return exit_status_; }  // as a shell has it

 private:
  SampledCommand(std::uint32_t pid, UniqueFd process, UniqueFd gate)
      : pid_(pid), process_(std::move(process)), gate_(std::move(gate)) {}

  std::uint32_t pid_;
  UniqueFd process_, gate_;
  bool has_ended_ = false;
  int exit_status_ = 0;
};

}  // namespace dpm::cli
