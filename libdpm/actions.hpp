// The kinds of objects, and what can happen to each, by the names that event scripts use. The only list of them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace dpm::monitor {

enum class Kind : std::uint32_t {
  kNone,
  kInteger,
  kPoint,
  kSocket,
  kSocketServer,
  kSemaphore,
  kMessageQueue,
  kSharedMemory,
  kSignal
};

// Bits of an object's `wanted`. Kinds share them: what a bit means depends on the kind.
enum class Action : std::uint32_t {
  kAssign = 1,
  kAccess = 2,  // Integer
  kEnter = 1,
  kLeave = 2,
  kForced = 4,  // Point
  kOpen = 1,
  kClose = 2,
  kWrite = 4,
  kRead = 8,  // Socket, SocketServer (open, close), SharedMemory
  kWait = 1,
  kPost = 2,  // Semaphore
  kSend = 4,
  kReceive = 8,  // MessageQueue (with open, close), Signal
};
inline constexpr std::uint32_t kActionPlaces = 8;  // bits that may be used

struct ActionName {
  std::string_view name, kind_name;
  Kind kind;
  Action action;
  std::string_view value;  // what the recorded value is; "": nothing
};

inline constexpr std::array kActionNames{
    ActionName{"integer_assign", "integer", Kind::kInteger, Action::kAssign, "the new value"},
    ActionName{"integer_access", "integer", Kind::kInteger, Action::kAccess, "the value"},
    ActionName{"point_enter", "point", Kind::kPoint, Action::kEnter, ""},
    ActionName{"point_leave", "point", Kind::kPoint, Action::kLeave, ""},
    ActionName{"point_forced", "point", Kind::kPoint, Action::kForced, "what the program gave"},
    ActionName{"socket_open", "socket", Kind::kSocket, Action::kOpen, "the port"},
    ActionName{"socket_close", "socket", Kind::kSocket, Action::kClose, ""},
    ActionName{"socket_write", "socket", Kind::kSocket, Action::kWrite, "bytes"},
    ActionName{"socket_read", "socket", Kind::kSocket, Action::kRead, "bytes"},
    ActionName{"socket_server_open", "socket_server", Kind::kSocketServer, Action::kOpen, "the port"},
    ActionName{"socket_server_close", "socket_server", Kind::kSocketServer, Action::kClose, ""},
    ActionName{"semaphore_wait", "semaphore", Kind::kSemaphore, Action::kWait, "what it counts afterwards"},
    ActionName{"semaphore_post", "semaphore", Kind::kSemaphore, Action::kPost, "what it counts afterwards"},
    ActionName{"message_queue_open", "message_queue", Kind::kMessageQueue, Action::kOpen, ""},
    ActionName{"message_queue_close", "message_queue", Kind::kMessageQueue, Action::kClose, ""},
    ActionName{"message_queue_send", "message_queue", Kind::kMessageQueue, Action::kSend, "bytes"},
    ActionName{"message_queue_receive", "message_queue", Kind::kMessageQueue, Action::kReceive, "bytes"},
    ActionName{"shared_memory_open", "shared_memory", Kind::kSharedMemory, Action::kOpen, "bytes"},
    ActionName{"shared_memory_close", "shared_memory", Kind::kSharedMemory, Action::kClose, ""},
    ActionName{"shared_memory_write", "shared_memory", Kind::kSharedMemory, Action::kWrite, "bytes"},
    ActionName{"shared_memory_read", "shared_memory", Kind::kSharedMemory, Action::kRead, "bytes"},
    ActionName{"signal_send", "signal", Kind::kSignal, Action::kSend, "the process"},
    ActionName{"signal_receive", "signal", Kind::kSignal, Action::kReceive, "how many came"},
};

}  // namespace dpm::monitor
