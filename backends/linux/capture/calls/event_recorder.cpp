#include "backends/linux/capture/calls/event_recorder.hpp"

namespace dpm {

Event EventRecorder::event_of(const Call& call, EventType type) const {
  Event event;
  event.local_time = call.execution->at_or_after_last(call.time);
  event.proc_time_ns = call.execution->proc_time_ns();
  event.pc = call.pc;
  event.process = call.execution->id();
  event.machine = MachineId{0};
  event.load = call.load;
  event.type = type;
  return event;
}

std::uint64_t EventRecorder::record(const Call& call, const Event& event, bool finished, FlowEnd end) {
  if (!call.execution->flags.has(event.type)) return Execution::kNoEvent;
  return call.execution->append(event, finished, call.now_ns, end);
}

RecordBatch EventRecorder::take() {
  RecordBatch batch;
  batch.growth = std::exchange(growth_, {});
  batch.events.reserve(ready_.size());
  batch.events.swap(ready_);
  return batch;
}

}  // namespace dpm
