#include "analysis/history/history_parts.hpp"

#include <algorithm>
#include <span>

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

// Joins an end from elsewhere to the one here. False: it is not here.
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

void HistoryParts::put_open_sends(const Shares& shares, std::vector<ByteWriter>& for_part) {
  answers_.resize(shares.parts());
  crossed_.resize(shares.parts());
  std::vector<std::vector<OpenEnd>> open(shares.parts());
  build_.matcher.for_each([&](const MessageMatcher::Entry& entry) {
    if (entry.end != 0) return;
    ProcessBuild& sender = build_.processes[entry.process];
    const HistoryEvent& send = sender.events[entry.index];
    const std::uint32_t part = shares.part_of(ProcessId{send.peer});
    if (part >= shares.parts() || part == shares.own()) return;
    open[part].push_back(
        {entry.key, entry.time_ns, entry.process, entry.index, sender.machine, false, send.arc() == ArcKind::inferred});
  });
  for (std::uint32_t part = 0; part < shares.parts(); ++part) {
    for_part[part].put(build_.crossing.sends_to(part));
    for_part[part].put(open[part]);
  }
}

void HistoryParts::take_open_sends(std::uint32_t part, ByteReader& in) {
  std::vector<OpenEnd> crossing;
  in.get(crossing);
  join_crossing(part, crossing);
  std::vector<OpenEnd> open;
  in.get(open);
  JoinedEnds joined;
  for (const OpenEnd& end : open)
    if (join(end, joined)) answers_[part].push_back(joined);
}

// `sends` are those of that part to this one.
void HistoryParts::join_crossing(std::uint32_t part, const std::vector<OpenEnd>& sends) {
  std::vector<OpenEnd> receives = std::move(build_.crossing.receives_from(part));
  const JoinedLists joined = join_lists(sends, receives);
  build_.is_divisible &= joined.is_clear;
  if (!joined.is_clear) return;
  for (std::uint32_t i = 0; i < sends.size(); ++i) {
    if (joined.receive_of[i] == JoinedLists::kNotReceived) continue;
    const OpenEnd& send = sends[i];
    const OpenEnd& receive = receives[joined.receive_of[i]];
    HistoryEvent& here = build_.processes[receive.process].events[receive.index];
    const bool inferred = send.inferred || receive.inferred;
    if (send.machine == receive.machine && send.time_ns > receive.time_ns) here.slept = 1;
    set_arc(here, inferred);
    here.match = send.index;
    here.peer = send.process & kNoPeer;
    crossed_[part].push_back({i, receive.process, receive.index, inferred});
  }
  for (std::size_t i = 0; i < receives.size(); ++i)
    if (!joined.is_sent[i]) leave_open(receives[i]);
}

void HistoryParts::take_crossed(std::uint32_t part, const std::vector<Crossed>& crossed) {
  const std::vector<OpenEnd> sends = std::move(build_.crossing.sends_to(part));
  auto next = crossed.begin();
  for (std::uint32_t i = 0; i < sends.size(); ++i) {
    if (next == crossed.end() || next->sent != i) {
      leave_open(sends[i]);
      continue;
    }
    HistoryEvent& send = build_.processes[sends[i].process].events[sends[i].index];
    send.match = next->receive;
    send.peer = next->receiver & kNoPeer;
    set_arc(send, next->inferred);
    ++next;
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

void HistoryParts::put_answers(std::vector<ByteWriter>& for_part) {
  for (std::size_t part = 0; part < for_part.size(); ++part) {
    for_part[part].put(crossed_[part]);
    for_part[part].put(answers_[part]);
  }
  crossed_.clear();
  answers_.clear();
}

void HistoryParts::take_answers(std::uint32_t part, ByteReader& in) {
  std::vector<Crossed> crossed;
  in.get(crossed);
  take_crossed(part, crossed);
  std::vector<JoinedEnds> answers;
  in.get(answers);
  for (const JoinedEnds& joined : answers) {
    HistoryEvent& send = build_.processes[joined.process].events[joined.index];
    send.match = joined.match;
    send.peer = joined.other & kNoPeer;
    set_arc(send, joined.inferred);
    build_.matcher.erase(build_.matcher.find(joined.key));
  }
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
