// A divided time, with what it is the time of.
#pragma once

#include <string>

#include "analysis/blame/blame.hpp"

namespace dpm {

struct BlameTree {
  BlameNode root;
  std::string what;  // "request 3 of client"
  bool is_measured = true;
};

}  // namespace dpm
