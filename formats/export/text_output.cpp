#include "formats/export/text_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "os/whole_io.hpp"

namespace dpm {

Result<TextOutput> TextOutput::create(const std::string& path) {
  TextOutput output;
  output.path_ = path;
  if (path.empty()) return output;
  output.file_.reset(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!output.file_) return Error::from_errno("write " + path);
  return output;
}

void TextOutput::flush() {
  const int fd = path_.empty() ? STDOUT_FILENO : file_.get();
  if (status_ && !write_all(fd, {buffer_.data(), buffer_.size()}))
    status_ = Error::from_errno("write " + (path_.empty() ? "standard output" : path_));
  buffer_.clear();
}

Result<void> TextOutput::close() {
  flush();
  if (file_ && ::close(file_.release()) != 0 && status_) status_ = Error::from_errno("write " + path_);
  return status_;
}

}  // namespace dpm
