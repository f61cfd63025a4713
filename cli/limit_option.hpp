// --for: after which time a command that watches programs ends by itself.
#pragma once

#include <optional>
#include <string>

#include "cli/options.hpp"
#include "model/time.hpp"

namespace dpm::cli {

class LimitOption {
 public:
  void describe(Options& options, const std::string& help);

  // More than 0. It has been checked on the command line.
  std::optional<Duration> limit() const;

 private:
  std::string text_;
};

}  // namespace dpm::cli
