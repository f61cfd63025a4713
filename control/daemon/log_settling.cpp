#include "control/daemon/log_settling.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>

#include <string>

#include "os/kernel/process_files.hpp"
#include "os/unique_fd.hpp"

namespace dpm {
namespace {

// A busy filter runs, is in disk sleep, or has input to read. A filter that has ended is not busy.
bool is_busy(std::uint32_t pid) {
  const std::string input_path = fmt::format("/proc/{}/fd/0", pid);
  const UniqueFd input(::open(input_path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  int unread = 0;
  if (input && ::ioctl(input.get(), FIONREAD, &unread) == 0 && unread > 0) return true;
  const auto status = read_status(pid);
  return status && (status->state == 'R' || status->state == 'D');
}

}  // namespace

bool LogSettling::is_over() {
  const auto now = Clock::now();
  if (is_busy(filter_)) busy_ = now;
  return now - busy_ >= kQuiet || now - begun_ >= kPatience;
}

}  // namespace dpm
