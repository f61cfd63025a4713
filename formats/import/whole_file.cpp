#include "formats/import/whole_file.hpp"

#include <fmt/format.h>

#include "formats/import/line_file.hpp"

namespace dpm {

Result<std::string> read_whole_file(const std::string& path, std::size_t bytes_max) {
  auto file = LineFile::open(path);
  if (!file) return file.error();
  std::string text;
  if (!file->read_all(text, bytes_max)) return Error{fmt::format("{} is larger than {} MB", path, bytes_max >> 20)};
  if (auto done = file->status(); !done) return done.error();
  return text;
}

}  // namespace dpm
