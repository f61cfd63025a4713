// What a call of wait4() or waitid() asks for.
#pragma once

#include <cstdint>

#include "os/kernel/children.hpp"
#include "os/kernel/notification.hpp"

namespace dpm {

struct WaitRequest {
  enum class Which : std::uint8_t { any, process, group, own_group, descriptor };
  Which which = Which::any;
  enum class Kind : std::uint8_t { ordinary, clones, all };  // the end of an ordinary child sends SIGCHLD
  Kind kind = Kind::ordinary;
  std::uint32_t id = 0;       // of the process or group, or a pidfd
  bool ends = true;           // it returns when a child has ended
  bool stops = false;         // it returns when a child was stopped or continued
  bool blocks = true;         // not WNOHANG
  bool leaves_child = false;  // WNOWAIT: the same end can be waited for again
  bool is_usual = true;       // without the options that only tracers and thread libraries use (__WALL, ...)

  // Whether the call waits for this child. Not for pidfds, which are replaced by process ids before.
  bool asks_for(const ChildState& child, std::uint32_t own_group) const;
};

WaitRequest wait_request(const Notification& notification);

}  // namespace dpm
