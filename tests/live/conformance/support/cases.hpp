// The main program that all conformance programs share: PROGRAM --list prints the cases, PROGRAM CASE plays one.
#pragma once

#include <span>

#include "tests/live/conformance/support/actor.hpp"

namespace dpm {

struct Case {
  const char* name;
  void (*play)(const Actor&);
};

// What main() returns.
int play_case(std::span<const Case> cases, int argc, char** argv);

}  // namespace dpm
