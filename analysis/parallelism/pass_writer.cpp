#include "analysis/parallelism/pass_writer.hpp"

#include <utility>

namespace dpm {

void PassWriter::write_until(std::uint64_t events, ByteWriter& out) {
  const auto& stretches = share_.stretches();
  while (next_ < stretches.size() && (written_ < events || events == share_.event_count())) {
    const HistoryShare::Stretch& stretch = stretches[next_++];
    events_.clear();
    write(stretch);
    written_ += stretch.end - stretch.from;
    out.put(stretch.process);
    out.put(events_);
  }
}

void PassWriter::write(const HistoryShare::Stretch& stretch) {
  if (stretch.begins) begin(stretch.process);
  share_.for_each_event(stretch,
                        [&](std::uint32_t index, const HistoryEvent& event) { add(stretch.process, index, event); });
  if (stretch.ends) end(stretch.process);
}

void PassWriter::begin(std::uint32_t process) {
  if (share_.needs_start(process)) {
    put(PassKind::needs, 0, 0);
  } else {
    add_work(0);
  }
}

void PassWriter::end(std::uint32_t process) {
  HistoryEvent event;
  event.cpu_ns = share_.left_ns(process);
  share_.end_waits().for_each_node(
      process, [&](bool waits, std::uint32_t peer, std::uint32_t waiting, std::uint32_t node) {
        event.kind_bits = static_cast<std::uint32_t>(waits ? HistoryKind::wait : HistoryKind::wake) & 7u;
        event.peer = peer & kNoPeer;
        const CpuCost cost = costs_.cpu(event, process);
        traced_cpu_ns_ += std::exchange(event.cpu_ns, 0);
        if (waits) {
          put(PassKind::needs, cost.before_ns, cost.after_ns);
        } else {
          const std::uint32_t after_trace = waiting == kNoEvent ? share_.traced_events(peer) + node : waiting;
          put(PassKind::lets_go, cost.before_ns + cost.after_ns, 0, peer, HistoryShare::kFirstPlace + after_trace);
        }
      });
  event.kind_bits = static_cast<std::uint32_t>(HistoryKind::end) & 7u;
  event.peer = kNoPeer;
  const CpuCost cost = costs_.cpu(event, process);
  traced_cpu_ns_ += event.cpu_ns;
  add_work(cost.before_ns + cost.after_ns);
}

void PassWriter::add(std::uint32_t process, std::uint32_t index, const HistoryEvent& event) {
  const CpuCost cost = costs_.cpu(event, process);
  traced_cpu_ns_ += event.cpu_ns;
  bool needs = false;
  switch (event.kind()) {
    case HistoryKind::send:
    case HistoryKind::move_data:
      return add_send(process, index, event, cost.before_ns + cost.after_ns);
    case HistoryKind::create:
      if (!share_.is_created_by(event.peer, process, index)) break;
      return put(PassKind::lets_go, cost.before_ns + cost.after_ns, 0, event.peer,
                 share_.needs_start(event.peer) ? 0 : HistoryShare::kFirstPlace);
    case HistoryKind::receive:
      needs = event.match != kNoEvent || share_.is_external_end(process, index);
      break;
    case HistoryKind::start:
      needs = share_.is_created(process);
      break;
    case HistoryKind::wait:
      needs = event.arc() != ArcKind::outside && share_.has_events(event.peer);
      break;
    case HistoryKind::wake:
    case HistoryKind::end:
      break;
  }
  if (needs) {
    put(PassKind::needs, cost.before_ns, cost.after_ns);
  } else {
    add_work(cost.before_ns + cost.after_ns);
  }
}

void PassWriter::add_send(std::uint32_t process, std::uint32_t index, const HistoryEvent& event, std::int64_t work_ns) {
  if (event.match == kNoEvent && event.kind() == HistoryKind::send) {
    if (const ExternalArc* arc = share_.external_from(process, index))
      return put(PassKind::lets_go, work_ns, static_cast<std::int64_t>(arc->elapsed_ns), process,
                 HistoryShare::kFirstPlace + arc->to);
  }
  // One that is never received can still not be overtaken by later ones.
  if (event.peer == kNoPeer || (event.match == kNoEvent && event.arc() == ArcKind::outside)) return add_work(work_ns);
  put(PassKind::message, work_ns, costs_.delivery_ns(event, process, event.peer), event.peer,
      event.match == kNoEvent ? kNoEvent : HistoryShare::kFirstPlace + event.match);
}

void PassWriter::add_work(std::int64_t work_ns, std::uint32_t events) {
  if (events_.empty() || events_.back().kind() != PassKind::work) {
    put(PassKind::work, work_ns, 0, kNoPeer, events);
    return;
  }
  events_.back().work_ns += work_ns;
  events_.back().place += events;
}

void PassWriter::put(PassKind kind, std::int64_t work_ns, std::int64_t later_ns, std::uint32_t peer,
                     std::uint32_t place) {
  PassEvent event{work_ns, later_ns, place};
  event.peer = peer & kNoPeer;
  event.kind_bits = static_cast<std::uint32_t>(kind) & 0xffu;
  events_.push_back(event);
}

}  // namespace dpm
