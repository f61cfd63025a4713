#include "backends/linux/supervisor/wait_request.hpp"

#include <sys/syscall.h>
#include <sys/wait.h>

#include <csignal>

namespace dpm {
namespace {

// "pid" of wait4(): a process, any, or a group with its sign turned.
void select_by_sign(std::int32_t pid, WaitRequest& request) {
  if (pid == -1) return;
  if (pid == 0) {
    request.which = WaitRequest::Which::own_group;
  } else if (pid < 0) {
    request.which = WaitRequest::Which::group;
    request.id = 0u - static_cast<std::uint32_t>(pid);
  } else {
    request.which = WaitRequest::Which::process;
    request.id = static_cast<std::uint32_t>(pid);
  }
}

void select_by_type(std::uint64_t type, std::uint32_t id, WaitRequest& request) {
  constexpr std::uint64_t kPidfd = 3;  // P_PIDFD, younger than some headers
  request.id = id;
  if (type == P_PID) {
    request.which = WaitRequest::Which::process;
  } else if (type == P_PGID) {
    request.which = id == 0 ? WaitRequest::Which::own_group : WaitRequest::Which::group;
  } else if (type == kPidfd) {
    request.which = WaitRequest::Which::descriptor;
  }
}

}  // namespace

WaitRequest wait_request(const Notification& notification) {
  const bool by_type = notification.call == SYS_waitid;
  const auto& arguments = notification.arguments;
  const auto options = static_cast<int>(arguments[by_type ? 3 : 2]);
  WaitRequest request;
  if (by_type) {
    select_by_type(arguments[0], static_cast<std::uint32_t>(arguments[1]), request);
    request.ends = (options & WEXITED) != 0;
  } else {
    select_by_sign(static_cast<std::int32_t>(arguments[0]), request);
  }
  static_assert(WSTOPPED == WUNTRACED);
  request.stops = (options & (WSTOPPED | WCONTINUED)) != 0;
  request.blocks = (options & WNOHANG) == 0;
  request.leaves_child = by_type && (options & WNOWAIT) != 0;
  if ((options & __WALL) != 0)
    request.kind = WaitRequest::Kind::all;
  else if ((options & static_cast<int>(__WCLONE)) != 0)
    request.kind = WaitRequest::Kind::clones;
  request.is_usual = (options & ~(WNOHANG | WSTOPPED | WCONTINUED | WEXITED | WNOWAIT)) == 0;
  return request;
}

bool WaitRequest::asks_for(const ChildState& child, std::uint32_t own_group) const {
  const Kind its = child.exit_signal == SIGCHLD ? Kind::ordinary : Kind::clones;
  if (kind != Kind::all && its != kind && child.exit_signal != ChildState::kUnknownSignal) return false;
  switch (which) {
    case Which::any:
      return true;
    case Which::process:
      return child.pid == id;
    case Which::group:
      return child.group == id;
    case Which::own_group:
      return child.group == own_group;
    case Which::descriptor:
      return false;
  }
  return false;
}

}  // namespace dpm
