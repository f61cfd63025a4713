// Where events come from.
//
// A backend (simulator, Linux meter, recorded trace) implements EventSource and pushes batches into an EventSink.
// Everything downstream sees only these two types, which is why one analysis serves both a simulation and a cluster.
// Sources push because the simulator and the event loop both own their loop; batches keep the virtual call off the
// per-event path. tests/contract runs one suite against every source.
#pragma once

#include <span>

#include "model/event.hpp"
#include "model/ledger.hpp"
#include "model/result.hpp"
#include "model/trace_info.hpp"

namespace dpm {

// Receives events. Called by one thread at a time.
class EventSink {
 public:
  virtual ~EventSink() = default;

  // Called once, first. `info` stays valid until on_end() has returned, and grows while events arrive: when a batch
  // names a process, machine or channel, `info` already describes it.
  virtual void on_begin(const TraceInfo& info) = 0;

  // Events of one process arrive in the order that process performed them. Nothing is promised between processes:
  // machines share no clock. `batch` is valid only during the call.
  virtual void on_events(std::span<const Event> batch) = 0;

  // Called once, last. An empty report means "nothing was lost", never "not counted".
  virtual void on_end(const LossReport& losses) = 0;
};

class EventSource {
 public:
  virtual ~EventSource() = default;

  // Pushes everything into `sink` and returns after on_end(). An error means the observation itself failed; a monitored
  // program that crashes is an event, not an error. A source runs once.
  virtual Result<void> run(EventSink& sink) = 0;
};

}  // namespace dpm
