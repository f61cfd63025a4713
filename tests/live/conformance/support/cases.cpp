#include "tests/live/conformance/support/cases.hpp"

#include <cstdio>
#include <cstring>

namespace dpm {

int play_case(std::span<const Case> cases, int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (const auto& one : cases) std::puts(one.name);
    return 0;
  }
  for (const auto& one : cases) {
    if (argc != 2 || std::strcmp(argv[1], one.name) != 0) continue;
    const Account account;
    one.play(Actor("main", account));
    return 0;
  }
  std::fprintf(stderr, "usage: %s --list | CASE\n", argv[0]);
  return 2;
}

}  // namespace dpm
