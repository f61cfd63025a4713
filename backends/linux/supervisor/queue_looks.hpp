// Looks at what waits for a call in its socket, pipe or eventfd, and at the offset of its stream.
#pragma once

#include <cstdint>
#include <optional>

#include "backends/linux/supervisor/call_progress.hpp"
#include "backends/linux/supervisor/shared.hpp"

namespace dpm {

class QueueLooks {
 public:
  QueueLooks(Shared& shared, CallProgress& progress) : shared_(shared), progress_(progress) {}

  // Nothing if the kernel does not say where the stream stands.
  std::optional<QueueSight> look(const Asking& asking, int fd);

  // Where the call would receive from; nullptr for a listener, for datagrams that come from different senders, and for
  // an eventfd.
  Flow* flow_of(const Asking& asking);
  bool is_exact(const Asking& asking);
  // Whether the stream's own offset, or the thread's counters, will tell afterwards what the call took.
  bool tells_its_share(const Asking& asking);
  // Everything that was sent and does not wait any more has been received: receives may have taken more than was seen
  // before them. `waiting` may be read again.
  std::optional<StreamBalance::Received> received_by_sends(Flow& flow, int fd, std::uint64_t& waiting);

 private:
  void look_at_memory(const Asking& asking, Socket& socket, int fd);
  QueueSight look_at_datagrams(int fd);
  std::optional<QueueSight> look_at_eventfd(int fd);
  std::optional<QueueSight> look_at_stream(const Asking& asking, const Socket* socket, int fd);

  Shared& shared_;
  CallProgress& progress_;
};

}  // namespace dpm
