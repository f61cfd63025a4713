// What a reader that knows nothing of DPM makes of a trace.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace dpm::test {

// What babeltrace2 prints, line by line.
inline std::vector<std::string> babeltrace(const std::string& directory) {
  const std::string command = fmt::format("babeltrace2 --names=all '{}' 2>&1", directory);
  std::FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::vector<std::string> lines;
  std::string line;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    if (c != '\n') {
      line += static_cast<char>(c);
    } else {
      lines.push_back(std::move(line));
      line.clear();
    }
  }
  INFO(command << ": " << (lines.empty() ? "" : lines.back()));
  REQUIRE(::pclose(pipe) == 0);
  return lines;
}

}  // namespace dpm::test
