// Calls that ask for data or a connection. The supervisor looks at each when it is made and, if it holds the call,
// again when data may have come. Both looks take the same steps: look, decide (receive_decision.hpp), carry out.
#pragma once

#include <cstdint>

#include "backends/linux/supervisor/receive_records.hpp"

namespace dpm {

class Receives {
 public:
  Receives(Shared& shared, const ReceiveRecords::Parts& parts, ReceiveRecords& records);

  // recv() and similar calls; recvmmsg(); read() of an eventfd.
  CallOutcome receive(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);
  CallOutcome accept(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);
  // sendfile() and splice() move data from one file or stream into another, without passing through the process. To the
  // programmer, what comes out of a stream is received, and what goes into a stream is sent.
  CallOutcome transfer(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);

 private:
  Asking asking_of(const Notification& notification, const MeteredCall& shape, TrackedThread& thread,
                   const ResolvedChannel& channel);
  void note_peek(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);
  std::uint64_t bytes_left(const Notification& notification, const MeteredCall& shape, int file);

  CallOutcome begin(TrackedThread& thread, Asking& asking, const ResolvedChannel& channel);
  void note_first_look(TrackedThread& thread, const Asking& asking, const QueueSight& sight);
  void look_again(TrackedThread& thread);
  ReceiveDecision judge(Asking& asking, QueueSight& sight, int fd, bool is_held);
  CallOutcome hold(TrackedThread& thread, const Asking& asking, ReceiveDecision decision, int fd);

  Shared& shared_;
  ReceiveRecords::Parts parts_;
  ReceiveRecords& records_;
};

}  // namespace dpm
