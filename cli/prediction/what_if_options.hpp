// The changes that `dpm predict` and `dpm twin` try: --speed, --delay, --cores and --replicate, as typed and as a WhatIf.
#pragma once

#include <string>
#include <vector>

#include "analysis/prediction/what_if.hpp"
#include "cli/options.hpp"

namespace dpm::cli {

struct WhatIfOptions {
  std::vector<std::string> speeds, delays, cores, replicas;

  void describe(Options& options);

  // Refuses values that are not NAME=NUMBER. dpm::apply() checks names and ranges against a trace.
  Result<WhatIf> read() const;

  // As they were typed, for results: "speed office=2".
  std::vector<std::string> words() const;

 private:
  std::vector<std::string> former_links_;
};

}  // namespace dpm::cli
