// Records a call that asked for data or a connection, when it goes on and takes what was seen.
#pragma once

#include <cstdint>
#include <optional>

#include "backends/linux/supervisor/accepts.hpp"
#include "backends/linux/supervisor/queue_looks.hpp"
#include "backends/linux/supervisor/restarted_calls.hpp"
#include "backends/linux/supervisor/sends.hpp"
#include "backends/linux/supervisor/several_datagrams.hpp"
#include "backends/linux/supervisor/turn_taking.hpp"

namespace dpm {

class ReceiveRecords {
 public:
  // The parts that the records of receives need.
  struct Parts {
    CallInspector& inspector;
    CallProgress& progress;
    QueueLooks& looks;
    HeldCalls& held;
    TurnTaking& turns;
    Sends& sends;
    Accepts& accepts;
    RestartedCalls& restarts;
  };
  ReceiveRecords(Shared& shared, const Parts& parts) : shared_(shared), parts_(parts), several_(shared.meter) {}

  void record(TrackedThread& thread, const Asking& asking, const QueueSight& sight, int fd);
  // Where the call would get units from.
  Flow& eventfd_of(const TrackedThread& thread, const EventCounter& counter);
  // The call goes on although nothing was seen for it. recvmmsg() may still take datagrams.
  void goes_on_unseen(const Asking& asking, int fd);

  // ---- calls that take several datagrams
  void is_over(std::uint32_t tid);
  void closed(std::uint64_t socket, LocalTime time) { several_.closed(socket, time, shared_.clock.steady_ns(time)); }
  void forget(std::uint32_t tid) { several_.forget(tid); }
  // Calls whose thread makes no other for a while.
  void settle_several(std::int64_t now_ns);
  const SeveralDatagrams& several() const { return several_; }

 private:
  void record_datagram(TrackedThread& thread, const Asking& asking, const Call& call, const QueueSight& sight,
                       Socket& socket, int fd);
  void record_units(TrackedThread& thread, const Asking& asking, const Call& call, const EventCounter& counter);
  void record_stream(TrackedThread& thread, const Asking& asking, const Call& call, const QueueSight& sight, int fd);
  void takes_several(const Asking& asking, const Call& call, const std::optional<WaitingDatagram>& first, int fd);

  Shared& shared_;
  Parts parts_;
  SeveralDatagrams several_;
};

}  // namespace dpm
