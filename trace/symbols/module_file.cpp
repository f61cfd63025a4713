#include "trace/symbols/module_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dpm {
namespace {

// A descriptor of a regular file: a path in a trace may name a pipe without a writer.
int open_regular(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  struct stat status {};
  if (fd >= 0 && ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) return fd;
  if (fd >= 0) ::close(fd);
  return -1;
}

}  // namespace

ModuleFile::~ModuleFile() {
  if (session_ != nullptr) ::dwfl_end(session_);
}

bool ModuleFile::load(const std::string& path) {
  const int fd = open_regular(path);
  if (fd < 0) return false;
  session_ = ::dwfl_begin(&callbacks_);
  if (session_ != nullptr) {
    ::dwfl_report_begin(session_);
    module_ = ::dwfl_report_offline(session_, path.c_str(), path.c_str(), fd);  // which takes the descriptor
    ::dwfl_report_end(session_, nullptr, nullptr);
  }
  if (module_ == nullptr) ::close(fd);
  return module_ != nullptr;
}

}  // namespace dpm
