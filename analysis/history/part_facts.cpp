#include "analysis/history/part_facts.hpp"

#include <utility>

namespace dpm {
namespace {

struct ProcessFacts {
  std::uint32_t process = 0;
  std::uint32_t events = 0;
  LocalLifetime lifetime;
  MachineId machine;
  bool starts_with_start = false, ended = false;
};

struct Creation {
  std::uint32_t process = 0, by = kNoPeer, at = kNoEvent;
  LocalTime time;
};

}  // namespace

void PartFacts::put_for(const Shares& shares, int round, std::vector<ByteWriter>& for_part) {
  if (round == 0) return put_facts(shares, for_part);
  if (round == 1) {
    for (std::size_t part = 0; part < for_part.size(); ++part) for_part[part].put(std::exchange(answers_[part], {}));
    return;
  }
  count_open_ends();
  for (ByteWriter& out : for_part) {
    out.put(build_.history.sends_without_receive);
    out.put(build_.history.receives_without_send);
  }
}

void PartFacts::take_from(int round, std::uint32_t part, ByteReader& in) {
  if (round == 0) {
    take_facts(in);
    take_open_receives(part, in);
  } else if (round == 1) {
    take_answers(in);
  } else {
    build_.history.sends_without_receive += in.get<std::uint64_t>();
    build_.history.receives_without_send += in.get<std::uint64_t>();
  }
  build_.is_divisible &= in.ok();
}

void PartFacts::put_facts(const Shares& shares, std::vector<ByteWriter>& for_part) {
  answers_.resize(shares.parts());
  std::vector<ProcessFacts> facts;
  std::vector<Creation> creations;
  for (std::uint32_t p = 0; p < build_.processes.size(); ++p) {
    const ProcessBuild& process = build_.processes[p];
    if (process.seen)
      facts.push_back({p, static_cast<std::uint32_t>(process.events.size()), process.lifetime, process.machine,
                       process.starts_with_start, process.ended});
    if (process.created_at != kNoEvent)
      creations.push_back({p, process.created_by, process.created_at, process.creation});
  }
  std::vector<std::vector<OpenEnd>> open(shares.parts());
  build_.matcher.for_each([&](const MessageMatcher::Entry& entry) {
    const std::uint32_t part = shares.part_of(ProcessId{entry.key.sender});
    if (entry.end == 0 || part >= shares.parts() || part == shares.own()) return;
    ProcessBuild& receiver = build_.processes[entry.process];
    open[part].push_back({entry.key, entry.time_ns, entry.process, entry.index, receiver.machine, true,
                          receiver.events[entry.index].arc() == ArcKind::inferred});
  });
  for (std::uint32_t part = 0; part < shares.parts(); ++part) {
    ByteWriter& out = for_part[part];
    out.put(facts);
    out.put(creations);
    out.put(build_.end_waits.waits());
    for (const std::uint64_t sum : {build_.sends, build_.receives, build_.backward_clocks}) out.put(sum);
    out.put(build_.any_proc_time);
    out.put(build_.history.receive_calls_metered);
    out.put(open[part]);
  }
}

void PartFacts::take_facts(ByteReader& in) {
  std::vector<ProcessFacts> facts;
  in.get(facts);
  std::vector<Creation> creations;
  in.get(creations);
  std::vector<EndWaits::Wait> waits;
  in.get(waits);
  for (std::uint64_t* sum : {&build_.sends, &build_.receives, &build_.backward_clocks}) *sum += in.get<std::uint64_t>();
  build_.any_proc_time |= in.get<bool>();
  build_.history.receive_calls_metered |= in.get<bool>();
  const std::size_t count = build_.processes.size();
  for (const ProcessFacts& fact : facts) {
    // A process that two parts have is described by neither.
    if (fact.process >= count || build_.processes[fact.process].seen) {
      build_.is_divisible = false;
      return;
    }
    ProcessBuild& process = build_.process_of(ProcessId{fact.process});
    process.seen = true;
    process.events_elsewhere = fact.events;
    process.lifetime = fact.lifetime;
    process.machine = fact.machine;
    process.starts_with_start = fact.starts_with_start;
    process.ended = fact.ended;
  }
  for (const Creation& creation : creations) {
    const bool is_known = creation.process < count && creation.by < count;
    // Which of two was first is not known.
    if (!is_known || build_.processes[creation.process].created_at != kNoEvent) {
      build_.is_divisible = false;
      return;
    }
    ProcessBuild& created = build_.processes[creation.process];
    created.creation = creation.time;
    created.created_by = creation.by;
    created.created_at = creation.at;
  }
  for (const EndWaits::Wait& wait : waits) {
    build_.is_divisible &= wait.waiter < count && wait.peer < count;
    if (build_.is_divisible) build_.end_waits.add(wait);
  }
}

void PartFacts::take_open_receives(std::uint32_t part, ByteReader& in) {
  std::vector<OpenEnd> open;
  in.get(open);
  JoinedEnds joined;
  for (const OpenEnd& end : open)
    if (parts_.join(end, joined)) answers_[part].push_back(joined);
}

void PartFacts::take_answers(ByteReader& in) {
  std::vector<JoinedEnds> answers;
  in.get(answers);
  for (const JoinedEnds& joined : answers) {
    auto* const waiting = build_.matcher.find(joined.key);
    const bool is_asked = waiting != nullptr && waiting->end != 0 && waiting->process == joined.process &&
                          waiting->index == joined.index && joined.other < build_.processes.size();
    build_.is_divisible &= is_asked;
    if (!is_asked) return;
    HistoryEvent& receive = build_.processes[joined.process].events[joined.index];
    receive.match = joined.match;
    receive.peer = joined.other & kNoPeer;
    receive.arc_bits = static_cast<std::uint32_t>(joined.inferred ? ArcKind::inferred : ArcKind::proven) & 7u;
    build_.matcher.erase(waiting);
  }
}

// As HistoryLayout classifies them: those whose other process has events are missing.
void PartFacts::count_open_ends() {
  build_.matcher.for_each([&](const MessageMatcher::Entry& entry) {
    const std::uint32_t peer = build_.processes[entry.process].events[entry.index].peer;
    if (peer >= build_.processes.size() || !build_.processes[peer].seen) return;
    ++(entry.end == 0 ? build_.history.sends_without_receive : build_.history.receives_without_send);
  });
}

}  // namespace dpm
