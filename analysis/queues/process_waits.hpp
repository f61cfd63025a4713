// How long each process waited: for messages, and otherwise; and of that for the CPU and for a disk.
//
// Between two events of a process its machine's clock, PROCTIME, READYTIME and DISKTIME grow. What the clock grows by and
// the three do not explain, the process was idle. A stretch that ends with a RECEIVE or an ACCEPT is a wait for a message: the
// process was idle until the message came, and then perhaps ready before it had the CPU. In any other stretch it worked, and
// what it waited was for the CPU, a disk, or something else.
//
//     RECEIVECALL          RECEIVE                  SEND
//     |--- idle --|- ready -|--- ran --|- ready -|-ran-|
//         a wait for a message              work
//
// A process of UNIX may wait in poll(), which is not an event, and then ask for a message that is there. So a stretch that
// ends with its RECEIVECALL is part of the wait, if the process was idle longer in it than in the call, and for more than a
// hundredth of the time that it was ready. A simulated process waits in its RECEIVECALL alone.
//
// Clocks are rounded, and may be read some microseconds apart: what one stretch has too little, the next has less, so that
// sums are right.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/queues/wait_parts.hpp"
#include "model/divided_sink.hpp"
#include "model/event_source.hpp"

namespace dpm {

struct OwnWaits {
  std::uint64_t messages = 0;  // waits for one that took any time, of the CPU's queue or else
  WaitParts receiving, working;

  OwnWaits& operator+=(const OwnWaits& more) {
    messages += more.messages;
    receiving += more.receiving;
    working += more.working;
    return *this;
  }
};
using WaitsByProcess = std::map<ProcessId, OwnWaits>;

class ProcessWaits : public DividedSink {
 public:
  void on_begin(const TraceInfo& info) override { info_ = &info; }
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

  void give(ByteWriter& out) override;
  void take(ByteReader& in) override;

  // Of each process whose events have READYTIME. Threads of a process are summed up unless `by_thread`.
  WaitsByProcess result(const TraceInfo& info, bool by_thread = false) const;

 private:
  struct Process {
    Event last;
    bool any = false;
    std::int64_t short_ns = 0;  // by which stretches were too short for what happened in them
    WaitParts before_call;      // of the stretch before a RECEIVECALL, until the next event says what it is
    OwnWaits waits;
  };

  WaitParts stretch_until(Process& process, const Event& event) const;
  void pass_time(Process& process, const Event& event) const;
  bool may_have_polled(const Event& event) const;

  const TraceInfo* info_ = nullptr;
  std::vector<Process> processes_;  // by number
};

}  // namespace dpm
