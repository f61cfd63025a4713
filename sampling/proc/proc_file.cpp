#include "sampling/proc/proc_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace dpm::sampling {
namespace {

constexpr std::size_t kLongest = 4096;  // lines of /proc/PID have at most some hundred bytes

ReadOutcome outcome_of_errno() { return errno == EACCES || errno == EPERM ? ReadOutcome::refused : ReadOutcome::ended; }

}  // namespace

ReadOutcome ProcFile::read(std::string& buffer, std::string_view& text) {
  if (!fd_) fd_.reset(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd_) return outcome_of_errno();
  buffer.resize(kLongest);
  const ssize_t bytes = ::pread(fd_.get(), buffer.data(), buffer.size(), 0);
  const ReadOutcome outcome = bytes >= 0 ? ReadOutcome::done : outcome_of_errno();
  if (bytes >= 0) text = std::string_view(buffer).substr(0, static_cast<std::size_t>(bytes));
  if (!stays_open_) fd_.reset();
  return outcome;
}

}  // namespace dpm::sampling
