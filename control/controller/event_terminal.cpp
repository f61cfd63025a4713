#include "control/controller/event_terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace dpm::control {
namespace {

// A terminal shows some kilobytes in a few milliseconds, unless control-S has stopped it.
constexpr int kPatience_ms = 1000;

}  // namespace

Result<EventTerminal> EventTerminal::open(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600));
  if (!fd && errno == ENXIO) return Error{fmt::format("nothing reads the pipe {}: start 'cat {}' first", path, path)};
  if (!fd) return Error::from_errno("show events at " + path);
  return EventTerminal(path, std::move(fd));
}

Result<void> EventTerminal::show(const Lines& lines) {
  const std::string text = visible_lines(lines) + "\n";
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = ::write(fd_.get(), rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return Error::from_errno("show events at " + path_);
    pollfd waited{fd_.get(), POLLOUT, 0};
    if (::poll(&waited, 1, kPatience_ms) == 0) return Error{fmt::format("{} takes nothing more", path_)};
  }
  return {};
}

}  // namespace dpm::control
