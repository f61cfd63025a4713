// Compares a text with the file tests/view/cases/NAME. With DPM_BLESS=1 in the environment the file is written instead:
// look at what changed before committing it.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/catch.hpp"

namespace dpm::testing {

inline void check_golden(const std::string& name, const std::string& text) {
  const char* root = std::getenv("DPM_SOURCE_DIR");
  const std::string path = fmt::format("{}/tests/view/cases/{}", root != nullptr ? root : ".", name);
  if (std::getenv("DPM_BLESS") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  const std::string blessed{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::size_t at = 0;
  while (at < text.size() && at < blessed.size() && text[at] == blessed[at]) ++at;
  INFO(path << " differs at byte " << at << ": '" << text.substr(at, 80)
            << "'; if that is right, run again with DPM_BLESS=1");
  CHECK(text == blessed);
}

}  // namespace dpm::testing
