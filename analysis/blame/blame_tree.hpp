// A divided time, with what it is the time of.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/blame/blame.hpp"

namespace dpm {

struct BlameTree {
  BlameNode root;
  std::string what;  // "request 3 of client"
  bool is_measured = true;
  std::uint64_t samples = 0;  // how many it is estimated from; 0: it is not estimated
};

}  // namespace dpm
