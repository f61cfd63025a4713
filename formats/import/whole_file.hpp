// A file as a whole, for formats that cannot be read line by line.
#pragma once

#include <cstddef>
#include <string>

#include "model/result.hpp"

namespace dpm {

struct WholeFile {
  std::string text;
  bool is_cut = false;  // ByteFile::is_cut()
};

// Refuses a file that is larger than `bytes_max`, after it was decompressed.
Result<WholeFile> read_whole_file(const std::string& path, std::size_t bytes_max);

}  // namespace dpm
