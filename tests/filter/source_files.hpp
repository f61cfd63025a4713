// Files of the source tree, found through DPM_SOURCE_DIR or from the directory the tests run in.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace dpm::test {

inline std::string source_path(const std::string& path) {
  const char* root = std::getenv("DPM_SOURCE_DIR");
  return fmt::format("{}/{}", root != nullptr ? root : ".", path);
}

inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace dpm::test
