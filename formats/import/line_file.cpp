#include "formats/import/line_file.hpp"

#include <algorithm>
#include <cstring>

namespace dpm {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

Result<LineFile> LineFile::open(const std::string& path) {
  auto file = ByteFile::open(path);
  if (!file) return file.error();
  return LineFile(*std::move(file));
}

bool LineFile::fill() {
  constexpr std::size_t kBlock = std::size_t{1} << 18;
  buffer_.resize(kBlock);
  buffer_.resize(file_.read(buffer_.data(), kBlock));
  at_ = 0;
  return !buffer_.empty();
}

bool LineFile::next(std::string_view& line) {
  line_.clear();
  cut_ = false;
  if (at_ == buffer_.size() && !fill()) return false;
  for (;;) {
    const char* begin = buffer_.data() + at_;
    const char* end = static_cast<const char*>(std::memchr(begin, '\n', buffer_.size() - at_));
    const auto size = static_cast<std::size_t>((end != nullptr ? end : buffer_.data() + buffer_.size()) - begin);
    at_ += size + (end != nullptr ? 1 : 0);
    if (end != nullptr && line_.empty() && size <= kLineMax) {
      line = {begin, size};
      break;
    }
    const std::size_t room = kLineMax - line_.size();
    cut_ |= size > room;
    line_.append(begin, std::min(size, room));
    if (end == nullptr && fill()) continue;
    line = line_;
    break;
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (++number_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  return true;
}

Result<void> LineFile::rewind() {
  if (auto done = file_.rewind(); !done) return done.error();
  buffer_.clear();
  at_ = number_ = 0;
  return {};
}

}  // namespace dpm
