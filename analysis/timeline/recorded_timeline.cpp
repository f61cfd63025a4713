#include "analysis/timeline/recorded_timeline.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "model/check.hpp"
#include "model/metered_cpu.hpp"

namespace dpm {
namespace {

constexpr std::size_t kDatagramsTried = 1000;  // SENDs, for a RECEIVE: the time is bounded
constexpr std::uint32_t kNone = RecordedSegment::kNoArc;

bool is_message(const Event& event, EventType type) {
  return event.type == type && (event.flags & event_flags::kNoMessage) == 0;
}

// Which event is the other end of which.
class ArcFinder {
 public:
  ArcFinder(const RecordedEvents& recorded, const TraceInfo& info) : recorded_(recorded), info_(info) {}

  // By event: the arc that ends there.
  std::vector<std::uint32_t> find(std::vector<RecordedArc>& arcs) {
    const auto& events = recorded_.events;
    for (std::uint32_t i = 0; i < events.size(); ++i) note_beginning(i);
    for (auto& [channel, sends] : streams_) std::sort(sends.begin(), sends.end());
    for (auto& [channel, datagrams] : datagrams_) match(datagrams);
    std::vector<std::uint32_t> arc_of(events.size(), kNone);
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      const auto from = beginning_of(i);
      if (!from || *from == i) continue;
      const Event& begin = events[*from];
      arc_of[i] = static_cast<std::uint32_t>(arcs.size());
      arcs.push_back({begin.process, events[i].process, kind_of(events[i]), false, evidence_of(begin, events[i]),
                      recorded_.times_ns[*from], recorded_.times_ns[i],
                      begin.type == EventType::send ? begin.length_bytes : 0, begin.channel, begin.sequence});
    }
    return arc_of;
  }

 private:
  using Message = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  // sender, channel, sequence

  ChannelKind kind_of(ChannelId channel) const {
    return channel.value < info_.channels.size() ? info_[channel].kind : ChannelKind::numbered;
  }
  static RecordedArcKind kind_of(const Event& end) {
    return end.type == EventType::wait            ? RecordedArcKind::wait
           : end.type == EventType::start_process ? RecordedArcKind::start
                                                  : RecordedArcKind::message;
  }

  void note_beginning(std::uint32_t i) {
    const Event& event = recorded_.events[i];
    if (is_message(event, EventType::send)) {
      const ChannelKind kind = kind_of(event.channel);
      if (kind == ChannelKind::numbered) sends_[{event.process.value, event.channel.value, event.sequence}] = i;
      if (kind == ChannelKind::stream) streams_[event.channel.value].push_back({event.sequence, i});
      if (kind == ChannelKind::datagram) datagrams_[event.channel.value].sent.push_back(i);
    } else if (is_message(event, EventType::receive) && kind_of(event.channel) == ChannelKind::datagram) {
      datagrams_[event.channel.value].received.push_back(i);
    } else if (event.type == EventType::create_process) {
      creations_[event.peer.value] = i;
    } else if (event.type == EventType::destroy_process) {
      ends_[event.process.value] = i;
    }
  }

  std::optional<std::uint32_t> beginning_of(std::uint32_t i) const {
    const Event& event = recorded_.events[i];
    if (is_message(event, EventType::receive)) {
      if (kind_of(event.channel) == ChannelKind::stream) return first_sent_in(event);
      if (kind_of(event.channel) == ChannelKind::datagram) return in(datagram_of_, i);
      return in(sends_, Message{event.peer.value, event.channel.value, event.sequence});
    }
    if (event.type == EventType::start_process) return in(creations_, event.process.value);
    const bool is_end = event.code <= static_cast<std::uint32_t>(WaitKind::thread_end);
    if (event.type == EventType::wait && is_end) return in(ends_, event.peer.value);
    return std::nullopt;
  }

  Evidence evidence_of(const Event& begin, const Event& end) const {
    const bool is_datagram = end.type == EventType::receive && kind_of(end.channel) == ChannelKind::datagram;
    return is_datagram ? Evidence::inferred : std::max(begin.evidence, end.evidence);
  }

  struct Datagrams {  // of one channel, as numbers of events
    std::vector<std::uint32_t> sent, received;
  };

  // As analysis/messages does: those of a sender arrive in their order, and a RECEIVE is as long as its datagram. It takes
  // the oldest that fits; of its sender, those before are lost.
  void match(Datagrams& datagrams) {
    const auto by_time = [&](auto a, auto b) { return recorded_.times_ns[a] < recorded_.times_ns[b]; };
    std::stable_sort(datagrams.sent.begin(), datagrams.sent.end(), by_time);
    std::stable_sort(datagrams.received.begin(), datagrams.received.end(), by_time);
    std::vector<bool> is_past(datagrams.sent.size());
    std::size_t first = 0;
    for (const std::uint32_t receive : datagrams.received) {
      while (first < is_past.size() && is_past[first]) ++first;
      const std::size_t end = std::min(first + kDatagramsTried, datagrams.sent.size());
      std::size_t taken = first;
      while (taken < end && (is_past[taken] || !fits(datagrams.sent[taken], receive))) ++taken;
      if (taken == end) continue;
      datagram_of_[receive] = datagrams.sent[taken];
      for (std::size_t i = first; i <= taken; ++i)
        if (sender(datagrams.sent[i]) == sender(datagrams.sent[taken])) is_past[i] = true;
    }
  }
  bool fits(std::uint32_t send, std::uint32_t receive) const {
    const Event &sent = recorded_.events[send], &received = recorded_.events[receive];
    const bool is_of_sender = received.peer.is_none() || received.peer == sent.process;
    // Clocks of two machines are compared by estimates.
    const bool may_precede =
        sent.machine != received.machine || recorded_.times_ns[send] <= recorded_.times_ns[receive];
    return is_of_sender && sent.length_bytes == received.length_bytes && may_precede;
  }
  ProcessId sender(std::uint32_t send) const { return recorded_.events[send].process; }

  // The first SEND that begins in the bytes that were received.
  std::optional<std::uint32_t> first_sent_in(const Event& receive) const {
    const auto sends = streams_.find(receive.channel.value);
    if (sends == streams_.end()) return std::nullopt;
    const auto first = std::lower_bound(sends->second.begin(), sends->second.end(), std::pair{receive.sequence, 0u});
    if (first == sends->second.end() || first->first - receive.sequence >= receive.length_bytes) return std::nullopt;
    return first->second;
  }

  template <typename Table, typename Key>
  static std::optional<std::uint32_t> in(const Table& table, const Key& key) {
    const auto found = table.find(key);
    return found == table.end() ? std::nullopt : std::optional(found->second);
  }

  const RecordedEvents& recorded_;
  const TraceInfo& info_;
  std::map<Message, std::uint32_t> sends_;
  std::unordered_map<std::uint32_t, std::vector<std::pair<std::uint64_t, std::uint32_t>>> streams_;  // offset, event
  std::unordered_map<std::uint32_t, Datagrams> datagrams_;                                           // by channel
  std::unordered_map<std::uint32_t, std::uint32_t> datagram_of_;                                     // by RECEIVE
  std::unordered_map<std::uint32_t, std::uint32_t> creations_, ends_;  // by the created, by the ended process
};

class Segments {
 public:
  explicit Segments(const TraceInfo& info) : info_(info), is_of_timers_(info.processes.size()) {
    std::vector<std::uint64_t> all_ns(info.processes.size()), timers_ns(info.processes.size());
    for (const WaitCause& cause : info.wait_causes) {
      if (cause.process.value >= all_ns.size() || cause.reason == WaitReason::cpu) continue;
      all_ns[cause.process.value] += cause.time_ns;
      if (cause.reason == WaitReason::timer) timers_ns[cause.process.value] += cause.time_ns;
    }
    for (std::size_t p = 0; p < all_ns.size(); ++p)
      is_of_timers_[p] = static_cast<double>(timers_ns[p]) > kMostly * static_cast<double>(all_ns[p]);
  }

  // What a process did from one of its events to the next. `arc` ends there.
  void between(const Event& before, std::int64_t from_ns, const Event& event, std::int64_t to_ns, std::uint32_t arc) {
    const std::int64_t elapsed_ns = to_ns - from_ns;
    if (elapsed_ns <= 0) return;
    const std::uint64_t used_ns = cpu_between_ns(before, event, info_);
    const auto work_ns = static_cast<std::int64_t>(std::min(used_ns, static_cast<std::uint64_t>(elapsed_ns)));
    if (before.type == EventType::receive_call) {
      add(event.process, RecordedKind::message_wait, from_ns, to_ns - work_ns, arc);
      add(event.process, RecordedKind::work, to_ns - work_ns, to_ns, kNone);
      return;
    }
    std::int64_t waited_ns = 0;
    if (event.type == EventType::wait)
      waited_ns = static_cast<std::int64_t>(std::min(event.sequence, static_cast<std::uint64_t>(elapsed_ns)));
    const std::int64_t wait_from_ns = to_ns - waited_ns, work_to_ns = std::min(from_ns + work_ns, wait_from_ns);
    const bool is_child = event.code <= static_cast<std::uint32_t>(WaitKind::thread_end);
    // A CPU clock may be some per cent behind: that is not a wait.
    const bool is_work = wait_from_ns - work_to_ns <= elapsed_ns / 20;
    add(event.process, RecordedKind::work, from_ns, is_work ? wait_from_ns : work_to_ns, kNone);
    if (!is_work) add_other_wait(before, event, work_to_ns, wait_from_ns);
    add(event.process, is_child ? RecordedKind::child_wait : RecordedKind::idle, wait_from_ns, to_ns, arc);
  }

  std::vector<RecordedSegment> take() { return std::move(segments_); }

 private:
  static constexpr double kMostly = .9;

  void add_other_wait(const Event& before, const Event& event, std::int64_t from_ns, std::int64_t to_ns) {
    if (!before.has_ready_time() || !event.has_ready_time())
      return add(event.process, RecordedKind::other_wait, from_ns, to_ns, kNone);
    const auto grown = [](std::uint64_t then_ns, std::uint64_t now_ns) {
      return now_ns > then_ns ? now_ns - then_ns : 0;
    };
    std::uint64_t known_ns = grown(before.ready_time_ns, event.ready_time_ns);
    if (before.has_disk_time() && event.has_disk_time()) known_ns += grown(before.disk_time_ns, event.disk_time_ns);
    const auto all_ns = static_cast<std::uint64_t>(to_ns - from_ns);
    const auto idle_from_ns = from_ns + static_cast<std::int64_t>(std::min(known_ns, all_ns));
    const bool is_of_timers = event.process.value < is_of_timers_.size() && is_of_timers_[event.process.value];
    add(event.process, RecordedKind::cpu_or_disk, from_ns, idle_from_ns, kNone);
    add(event.process, is_of_timers ? RecordedKind::timer : RecordedKind::idle, idle_from_ns, to_ns, kNone);
  }

  void add(ProcessId process, RecordedKind kind, std::int64_t from_ns, std::int64_t to_ns, std::uint32_t arc) {
    if (from_ns >= to_ns) return;
    const bool goes_on = !segments_.empty() && segments_.back().process == process && segments_.back().kind == kind &&
                         kind == RecordedKind::work && segments_.back().to_ns == from_ns;
    if (goes_on) {
      segments_.back().to_ns = to_ns;
    } else {
      segments_.push_back({process, kind, false, from_ns, to_ns, arc});
    }
  }

  const TraceInfo& info_;
  std::vector<bool> is_of_timers_;  // by process: what it waits for while idle is nearly always a timer
  std::vector<RecordedSegment> segments_;
};

}  // namespace

RecordedTimeline make_recorded_timeline(const RecordedEvents& recorded, const TraceInfo& info) {
  DPM_CHECK(recorded.events.size() == recorded.times_ns.size());
  RecordedTimeline timeline;
  const std::vector<std::uint32_t> arc_of = ArcFinder(recorded, info).find(timeline.arcs);
  std::map<ProcessId, std::vector<std::uint32_t>> by_process;
  for (std::uint32_t i = 0; i < recorded.events.size(); ++i)
    if (recorded.events[i].type != EventType::message_queued) by_process[recorded.events[i].process].push_back(i);
  Segments segments(info);
  for (const auto& [process, own] : by_process) {
    std::int64_t from_ns = recorded.times_ns[own.front()];
    for (std::size_t i = 1; i < own.size(); ++i) {
      const std::int64_t to_ns = std::max(from_ns, recorded.times_ns[own[i]]);  // a clock may be set back
      if (recorded.events[own[i - 1]].type != EventType::destroy_process)
        segments.between(recorded.events[own[i - 1]], from_ns, recorded.events[own[i]], to_ns, arc_of[own[i]]);
      from_ns = to_ns;
    }
  }
  timeline.segments = segments.take();
  return timeline;
}

void mark_critical_path(RecordedTimeline& timeline, std::int64_t to_ns) {
  auto& segments = timeline.segments;
  // The last segment of a process that begins before a moment.
  const auto before = [&](ProcessId process, std::int64_t at_ns) -> RecordedSegment* {
    const auto after = std::partition_point(segments.begin(), segments.end(), [&](const RecordedSegment& segment) {
      return std::tie(segment.process, segment.from_ns) < std::tie(process, at_ns);
    });
    if (after == segments.begin() || std::prev(after)->process != process) return nullptr;
    return &*std::prev(after);
  };
  RecordedSegment* last = nullptr;
  for (auto& segment : segments) {
    const bool counts = segment.kind == RecordedKind::work && segment.from_ns < to_ns;
    if (counts && (last == nullptr || std::min(segment.to_ns, to_ns) > std::min(last->to_ns, to_ns))) last = &segment;
  }
  while (last != nullptr && !last->is_critical) {
    RecordedArc* arc = last->arc == kNone ? nullptr : &timeline.arcs[last->arc];
    const bool decided = arc != nullptr && arc->sent_ns > last->from_ns && arc->sent_ns < to_ns;
    if (decided) {
      arc->is_critical = true;
      to_ns = arc->sent_ns;
      last = before(arc->from, to_ns);
    } else {
      last->is_critical = true;
      to_ns = last->from_ns;
      last = before(last->process, to_ns);
    }
  }
}

}  // namespace dpm
