#include "formats/import/line_file.hpp"

#include <sys/stat.h>

#include <algorithm>

namespace dpm {

Result<LineFile> LineFile::open(const std::string& path) {
  LineFile opened;
  opened.path_ = path;
  opened.file_.reset(std::fopen(path.c_str(), "re"));
  if (!opened.file_) return Error::from_errno("read " + path);
  struct stat found {};
  if (fstat(fileno(opened.file_.get()), &found) == 0 && S_ISDIR(found.st_mode))
    return Error{path + " is a directory, not a file"};
  return opened;
}

bool LineFile::fill() {
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  buffer_.resize(kBlock);
  buffer_.resize(std::fread(buffer_.data(), 1, kBlock, file_.get()));
  at_ = 0;
  failed_ |= std::ferror(file_.get()) != 0;
  return !buffer_.empty();
}

bool LineFile::next(std::string_view& line) {
  line_.clear();
  cut_ = false;
  bool any = false;
  while (at_ < buffer_.size() || fill()) {
    any = true;
    const std::size_t end = std::min(buffer_.find('\n', at_), buffer_.size());
    const std::size_t room = kLineMax - line_.size();
    cut_ |= end - at_ > room;
    line_.append(buffer_, at_, std::min(end - at_, room));
    at_ = end;
    if (at_ == buffer_.size()) continue;
    ++at_;
    break;
  }
  if (!any) return false;
  ++number_;
  line = line_;
  return true;
}

bool LineFile::read_all(std::string& text, std::size_t bytes_max) {
  struct stat found {};
  if (fstat(fileno(file_.get()), &found) == 0 && S_ISREG(found.st_mode))
    text.reserve(std::min(static_cast<std::size_t>(found.st_size), bytes_max));
  while (at_ < buffer_.size() || fill()) {
    if (text.size() + (buffer_.size() - at_) > bytes_max) return false;
    text.append(buffer_, at_);
    at_ = buffer_.size();
  }
  return true;
}

Result<void> LineFile::rewind() {
  if (std::fseek(file_.get(), 0, SEEK_SET) != 0)
    return Error::from_errno("read " + path_ + " again (it must be a file, not a pipe)");
  buffer_.clear();
  at_ = number_ = 0;
  return {};
}

Result<void> LineFile::status() const {
  if (failed_) return Error{"read " + path_ + ": the disk reports an error"};
  return {};
}

}  // namespace dpm
