#include "backends/linux/calls/event_recorder.hpp"

namespace dpm {

Event EventRecorder::event_of(const Call& call, EventType type) const {
  Event event;
  event.local_time = call.thread->at_or_after_last(call.time);
  event.proc_time_ns = call.thread->proc_time_ns();
  event.ready_time_ns = call.thread->ready_time_ns();
  event.disk_time_ns = call.thread->disk_time_ns();
  event.pc = call.pc;
  event.process = call.thread->id();
  event.machine = MachineId{0};
  event.load = call.load;
  event.type = type;
  return event;
}

std::uint64_t EventRecorder::record(const Call& call, const Event& event, bool finished, FlowEnd end) {
  if (event.type == EventType::send || event.type == EventType::receive)
    call.thread->moved_in_call = call.thread->call_number;
  if (!call.thread->flags.has(event.type)) return MeteredThread::kNoEvent;
  return call.thread->append(event, finished, call.now_ns, end);
}

RecordBatch EventRecorder::take() {
  RecordBatch batch;
  batch.growth = std::exchange(growth_, {});
  batch.events.reserve(output_.ready.size());
  batch.events.swap(output_.ready);
  return batch;
}

}  // namespace dpm
