#include "analysis/history/history_parts.hpp"

#include <map>
#include <span>
#include <utility>

namespace dpm {
namespace {

void set_arc(HistoryEvent& event, bool inferred) {
  event.arc_bits = static_cast<std::uint32_t>(inferred ? ArcKind::inferred : ArcKind::proven) & 7u;
}

// The members of a ProcessBuild that are plain values, in one order for both directions.
template <typename Build, typename Visit>
void visit_values(Build& build, Visit&& visit) {
  visit(build.proc_time_ns);
  visit(build.at_last_node_ns);
  visit(build.waiting_set);
  visit(build.calls_between);
  visit(build.unmet_waits);
  visit(build.looks_in_vain);
  visit(build.pauses);
  visit(build.machine);
  visit(build.span);
  visit(build.lifetime);
  visit(build.included);
  visit(build.seen);
  visit(build.starts_with_start);
  visit(build.ended);
}

struct Creation {
  std::uint32_t process = 0, by = kNoPeer, at = kNoEvent;
  LocalTime time;
};

}  // namespace

bool HistoryParts::join(const OpenEnd& end, JoinedEnds& joined) {
  auto* other = build_.matcher.find(end.key);
  if (other == nullptr) return false;
  if ((other->end != 0) == end.receives) {  // a second copy of an end
    build_.is_divisible = false;
    return false;
  }
  ProcessBuild& process = build_.processes[other->process];
  HistoryEvent& here = process.events[other->index];
  const bool inferred = end.inferred || here.arc() == ArcKind::inferred;
  const bool one_clock = end.machine == process.machine;
  const bool sent_later = end.receives ? other->time_ns > end.time_ns : end.time_ns > other->time_ns;
  if (one_clock && sent_later && !end.receives) here.slept = 1;
  set_arc(here, inferred);
  here.match = end.index;
  here.peer = end.process & kNoPeer;
  joined = {end.key, end.process, end.index, other->process, other->index, inferred};
  build_.matcher.erase(other);
  return true;
}

// SENDs of one process of another part on one channel.
struct HistoryParts::SentLane {
  std::uint32_t sender = 0, channel = 0;
  MachineId machine;
  std::vector<LaneEnd> ends;
};

// RECEIVEs of messages from one part, by sender and channel.
struct HistoryParts::ReceivedLanes {
  struct Receive {
    LaneEnd end;
    std::uint32_t process = 0;
  };

  explicit ReceivedLanes(std::vector<CrossingLane> received) : lanes(std::move(received)) {
    for (std::uint32_t lane = 0; lane < lanes.size(); ++lane)
      lanes_of[{lanes[lane].sender, lanes[lane].channel}].push_back(lane);
  }

  std::vector<Receive> take(std::uint32_t sender, std::uint32_t channel) {
    const auto found = lanes_of.find({sender, channel});
    if (found == lanes_of.end()) return {};
    std::vector<Receive> receives;
    for (const std::uint32_t lane : found->second)
      for (const LaneEnd& end : lanes[lane].ends.ends()) receives.push_back({end, lanes[lane].process});
    lanes_of.erase(found);
    return receives;
  }

  std::vector<CrossingLane> lanes;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> lanes_of;  // that were not taken
};

void HistoryParts::put_crossing_sends(const Shares& shares, std::vector<ByteWriter>& for_part) {
  answers_.resize(shares.parts());
  for (std::uint32_t part = 0; part < shares.parts(); ++part) {
    const auto& lanes = build_.crossing.sends_to(part);
    for_part[part].put(std::uint64_t{lanes.size()});
    for (const CrossingLane& lane : lanes) {
      for_part[part].put(lane.sender);
      for_part[part].put(lane.channel);
      for_part[part].put(build_.processes[lane.process].machine);
      for_part[part].put(lane.ends.bytes());
    }
  }
}

void HistoryParts::take_crossing_sends(std::uint32_t part, ByteReader& in) {
  ReceivedLanes receives(std::exchange(build_.crossing.receives_from(part), {}));
  SentLane sends;
  for (auto left = in.get<std::uint64_t>(); left > 0 && in.ok(); --left) {
    in.get(sends.sender);
    in.get(sends.channel);
    in.get(sends.machine);
    Bytes bytes;
    in.get(bytes);
    auto ends = ends_of(bytes);
    build_.is_divisible &= ends.has_value();
    if (!ends) return;
    sends.ends = *std::move(ends);
    join_lane(sends, receives, answers_[part]);
  }
  build_.is_divisible &= in.ok();
  for (const auto& [key, lanes] : receives.lanes_of) {
    for (const std::uint32_t lane : lanes) {
      const CrossingLane& open = receives.lanes[lane];
      for (const LaneEnd& end : open.ends.ends())
        leave_open({{end.sequence, open.sender, open.channel}, end.time_ns, open.process, end.index, {}, true, false});
    }
  }
}

// An answer for each SEND: 0, or 1 more than (how far its RECEIVE is from the one before, whether it is of another process than
// that, whether the message is inferred), and that process.
void HistoryParts::join_lane(const SentLane& sends, ReceivedLanes& received, Bytes& answers) {
  const auto receives = received.take(sends.sender, sends.channel);
  std::vector<std::uint64_t> sent_numbers, received_numbers;
  for (const LaneEnd& end : sends.ends) sent_numbers.push_back(end.sequence);
  for (const auto& receive : receives) received_numbers.push_back(receive.end.sequence);
  const JoinedLists joined = join_lists(sent_numbers, received_numbers);
  build_.is_divisible &= joined.is_clear;
  if (!joined.is_clear) return;
  std::uint32_t last_index = 0, last_process = kNoPeer;
  for (std::size_t i = 0; i < sends.ends.size(); ++i) {
    if (joined.receive_of[i] == JoinedLists::kNotReceived) {
      put_short(answers, 0);
      continue;
    }
    const LaneEnd& send = sends.ends[i];
    const auto& [receive, process] = receives[joined.receive_of[i]];
    HistoryEvent& here = build_.processes[process].events[receive.index];
    const bool inferred = send.inferred || receive.inferred;
    if (sends.machine == build_.processes[process].machine && send.time_ns > receive.time_ns) here.slept = 1;
    set_arc(here, inferred);
    here.match = send.index;
    here.peer = sends.sender & kNoPeer;
    const bool is_other = process != last_process;
    put_short(answers,
              1 + (short_difference(last_index, receive.index) << 2 | (is_other ? 2 : 0) | (inferred ? 1 : 0)));
    if (is_other) put_short(answers, process);
    last_index = receive.index;
    last_process = process;
  }
  for (std::size_t i = 0; i < receives.size(); ++i) {
    const auto& [end, process] = receives[i];
    if (!joined.is_sent[i])
      leave_open({{end.sequence, sends.sender, sends.channel}, end.time_ns, process, end.index, {}, true, false});
  }
}

void HistoryParts::put_answers(std::vector<ByteWriter>& for_part) {
  for (std::size_t part = 0; part < for_part.size(); ++part) for_part[part].put(std::exchange(answers_[part], {}));
}

void HistoryParts::take_answers(std::uint32_t part, ByteReader& in) {
  Bytes bytes;
  in.get(bytes);
  ShortNumbers answers(bytes);
  for (const CrossingLane& lane : std::exchange(build_.crossing.sends_to(part), {})) take_answers_of(lane, answers);
  build_.is_divisible &= in.ok() && answers.is_well() && answers.at_end();
}

void HistoryParts::take_answers_of(const CrossingLane& lane, ShortNumbers& answers) {
  ProcessBuild& sender = build_.processes[lane.process];
  std::uint64_t receive = 0, receiver = kNoPeer;
  for (const LaneEnd& end : lane.ends.ends()) {
    const std::uint64_t answer = answers.next();
    if (answer == 0) {
      leave_open(
          {{end.sequence, lane.sender, lane.channel}, end.time_ns, lane.process, end.index, {}, false, end.inferred});
      continue;
    }
    receive = after_difference(receive, (answer - 1) >> 2);
    if (((answer - 1) & 2) != 0) receiver = answers.next();
    if (receive >= kNoEvent || receiver >= build_.processes.size()) {
      build_.is_divisible = false;
      return;
    }
    HistoryEvent& send = sender.events[end.index];
    send.match = static_cast<std::uint32_t>(receive);
    send.peer = static_cast<std::uint32_t>(receiver) & kNoPeer;
    set_arc(send, ((answer - 1) & 1) != 0);
  }
}

// As an end whose other end has not been seen; it may be in a third part.
void HistoryParts::leave_open(const OpenEnd& end) {
  if (build_.matcher.find(end.key) != nullptr) {
    build_.is_divisible = false;
    return;
  }
  build_.matcher.insert(end.key, end.receives ? MessageEnd::receive : MessageEnd::send, end.process, end.index,
                        end.time_ns);
}

void HistoryParts::give(ByteWriter& out) const {
  std::vector<Creation> creations;
  std::vector<std::uint32_t> own;
  for (std::uint32_t p = 0; p < build_.processes.size(); ++p) {
    const ProcessBuild& process = build_.processes[p];
    if (process.seen) own.push_back(p);
    if (process.created_at != kNoEvent)
      creations.push_back({p, process.created_by, process.created_at, process.creation});
  }
  std::size_t events = 0;
  for (const std::uint32_t p : own) events += build_.processes[p].events.size();
  out.reserve(events * sizeof(HistoryEvent) + own.size() * sizeof(ProcessBuild));
  out.put(own);
  for (const std::uint32_t p : own) {
    const ProcessBuild& process = build_.processes[p];
    visit_values(process, [&](const auto& value) { out.put(value); });
    out.put(std::uint64_t{process.events.size()});
    process.events.for_each_block([&](std::span<const HistoryEvent> block) { out.put_all(block); });
  }
  out.put(creations);
  std::vector<OpenEnd> open;
  build_.matcher.for_each([&](const MessageMatcher::Entry& entry) {
    open.push_back({entry.key, entry.time_ns, entry.process, entry.index, build_.processes[entry.process].machine,
                    entry.end != 0, false});
  });
  out.put(open);
  out.put(build_.external_arcs);
  out.put(build_.external_owner);
  out.put(build_.end_waits.waits());
  for (const std::uint64_t sum : {build_.sends, build_.receives, build_.backward_clocks}) out.put(sum);
  out.put(build_.any_proc_time);
  out.put(build_.history.receive_calls_metered);
}

void HistoryParts::take_processes(ByteReader& in) {
  std::vector<std::uint32_t> theirs;
  in.get(theirs);
  for (const std::uint32_t p : theirs) {
    ProcessBuild& process = build_.processes.at(p);
    process.known = true;
    visit_values(process, [&](auto& value) { in.get(value); });
    const auto events = in.get<std::uint64_t>();
    if (!in.has_all<HistoryEvent>(events)) return;
    process.events.append(events, [&](std::span<HistoryEvent> block) { in.get_all(block); });
  }
}

void HistoryParts::take_creations(ByteReader& in) {
  std::vector<Creation> creations;
  in.get(creations);
  for (const Creation& creation : creations) {
    ProcessBuild& created = build_.processes.at(creation.process);
    if (created.created_at != kNoEvent) build_.is_divisible = false;  // which of two was first is not known
    created.creation = creation.time;
    created.created_by = creation.by;
    created.created_at = creation.at;
  }
}

void HistoryParts::take_open_ends(ByteReader& in) {
  std::vector<OpenEnd> open;
  in.get(open);
  JoinedEnds joined;
  for (OpenEnd& end : open) {
    HistoryEvent& here = build_.processes.at(end.process).events[end.index];
    end.inferred = here.arc() == ArcKind::inferred;
    auto* other = build_.matcher.find(end.key);
    const std::int64_t sent_ns = other == nullptr ? 0 : end.receives ? other->time_ns : end.time_ns;
    const std::int64_t idle_ns = other == nullptr ? 0 : end.receives ? end.time_ns : other->time_ns;
    const bool one_clock = other != nullptr && build_.processes[other->process].machine == end.machine;
    if (!join(end, joined)) {
      if (build_.is_divisible)
        build_.matcher.insert(end.key, end.receives ? MessageEnd::receive : MessageEnd::send, end.process, end.index,
                              end.time_ns);
      continue;
    }
    if (end.receives && one_clock && sent_ns > idle_ns) here.slept = 1;
    here.match = joined.match;
    here.peer = joined.other & kNoPeer;
    set_arc(here, joined.inferred);
  }
}

void HistoryParts::take(ByteReader& in) {
  take_processes(in);
  take_creations(in);
  take_open_ends(in);
  std::vector<ExternalArc> arcs;
  in.get(arcs);
  build_.external_arcs.insert(build_.external_arcs.end(), arcs.begin(), arcs.end());
  std::vector<ProcessId> owners;
  in.get(owners);
  build_.external_owner.insert(build_.external_owner.end(), owners.begin(), owners.end());
  std::vector<EndWaits::Wait> waits;
  in.get(waits);
  for (const EndWaits::Wait& wait : waits) build_.end_waits.add(wait);
  for (std::uint64_t* sum : {&build_.sends, &build_.receives, &build_.backward_clocks}) *sum += in.get<std::uint64_t>();
  build_.any_proc_time |= in.get<bool>();
  build_.history.receive_calls_metered |= in.get<bool>();
}

}  // namespace dpm
