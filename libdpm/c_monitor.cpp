#include <dpm/monitor/monitor.h>

#include <cstddef>
#include <dpm/monitor/monitor.hpp>
#include <dpm/monitor/object.hpp>
#include <new>

// monitor.h names kinds and actions again, because C cannot read actions.hpp.
namespace dpm::monitor {
namespace {

constexpr std::uint32_t kActionsOfC[] = {
    DPM_INTEGER_ASSIGN,        DPM_INTEGER_ACCESS,     DPM_POINT_ENTER,         DPM_POINT_LEAVE,
    DPM_POINT_FORCED,          DPM_SOCKET_OPEN,        DPM_SOCKET_CLOSE,        DPM_SOCKET_WRITE,
    DPM_SOCKET_READ,           DPM_SOCKET_SERVER_OPEN, DPM_SOCKET_SERVER_CLOSE, DPM_SEMAPHORE_WAIT,
    DPM_SEMAPHORE_POST,        DPM_MESSAGE_QUEUE_OPEN, DPM_MESSAGE_QUEUE_CLOSE, DPM_MESSAGE_QUEUE_SEND,
    DPM_MESSAGE_QUEUE_RECEIVE, DPM_SHARED_MEMORY_OPEN, DPM_SHARED_MEMORY_CLOSE, DPM_SHARED_MEMORY_WRITE,
    DPM_SHARED_MEMORY_READ,    DPM_SIGNAL_SEND,        DPM_SIGNAL_RECEIVE};

constexpr bool have_same_actions() {
  if (sizeof kActionsOfC / sizeof *kActionsOfC != kActionNames.size()) return false;
  for (std::size_t i = 0; i < kActionNames.size(); ++i)
    if (kActionsOfC[i] != static_cast<std::uint32_t>(kActionNames[i].action)) return false;
  return true;
}
static_assert(have_same_actions(), "in the order of kActionNames");

constexpr bool is_kind(int of_c, Kind kind) { return of_c == static_cast<int>(kind); }
static_assert(is_kind(DPM_INTEGER, Kind::kInteger) && is_kind(DPM_POINT, Kind::kPoint) &&
              is_kind(DPM_SOCKET, Kind::kSocket) && is_kind(DPM_SOCKET_SERVER, Kind::kSocketServer) &&
              is_kind(DPM_SEMAPHORE, Kind::kSemaphore) && is_kind(DPM_MESSAGE_QUEUE, Kind::kMessageQueue) &&
              is_kind(DPM_SHARED_MEMORY, Kind::kSharedMemory) && is_kind(DPM_SIGNAL, Kind::kSignal));
static_assert(offsetof(Object, wanted) == 0 && sizeof(Object::wanted) == sizeof(dpm_object));

Monitor* monitor_of(dpm_monitor* monitor) { return reinterpret_cast<Monitor*>(monitor); }
const Monitor* monitor_of(const dpm_monitor* monitor) { return reinterpret_cast<const Monitor*>(monitor); }

}  // namespace
}  // namespace dpm::monitor

using namespace dpm::monitor;

extern "C" {

dpm_monitor* dpm_monitor_open(int connect, const char* program) {
  return reinterpret_cast<dpm_monitor*>(new (std::nothrow)
                                            Monitor(connect != 0 ? Connect::kYes : Connect::kNo, program));
}

void dpm_monitor_close(dpm_monitor* monitor) { delete monitor_of(monitor); }

int dpm_monitor_is_connected(const dpm_monitor* monitor) {
  return monitor != nullptr && monitor_of(monitor)->is_connected();
}

const char* dpm_monitor_reason(const dpm_monitor* monitor) {
  return monitor == nullptr ? "the program has no monitor" : monitor_of(monitor)->reason();
}

const dpm_object* dpm_object_declare(dpm_monitor* monitor, std::uint32_t kind, const char* function, const char* name,
                                     int is_signed) {
  const bool is_known = kind >= DPM_INTEGER && kind <= DPM_SIGNAL;
  const Object* const object =
      monitor == nullptr || !is_known
          ? Named::silent()
          : monitor_of(monitor)->object(static_cast<Kind>(kind), function, name, is_signed != 0);
  return reinterpret_cast<const dpm_object*>(object);
}

void dpm_record(dpm_monitor* monitor, const dpm_object* object, std::uint32_t action, std::int64_t value) {
  if (!dpm_is_wanted(object, action)) return;
  monitor_of(monitor)->record(*reinterpret_cast<const Object*>(object), static_cast<Action>(action), value);
}

}  // extern "C"
