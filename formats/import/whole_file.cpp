#include "formats/import/whole_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formats/import/byte_file.hpp"

namespace dpm {

Result<WholeFile> read_whole_file(const std::string& path, std::size_t bytes_max) {
  auto file = ByteFile::open(path);
  if (!file) return file.error();
  WholeFile whole;
  constexpr std::size_t kFirst = std::size_t{1} << 16;
  std::size_t size = 0;
  for (std::size_t room = kFirst;; room *= 2) {
    room = std::min(room, bytes_max + 1);
    whole.text.resize(room);
    size += file->read(whole.text.data() + size, room - size);
    if (size > bytes_max) return Error{fmt::format("{} is larger than {} MB", path, bytes_max >> 20)};
    if (size < room) break;
  }
  whole.text.resize(size);
  if (auto done = file->status(); !done) return done.error();
  whole.is_cut = file->is_cut();
  return whole;
}

}  // namespace dpm
