// Random programs share streams in every way; every byte carries the label of its SEND and of its RECEIVE. The resolver
// must give what the labels give.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/messages/streamed_messages.hpp"
#include "model/random.hpp"
#include "tests/analysis/messages/live_script.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

struct Byte {
  std::size_t sent_by = kNobody, taken_by = kNobody;  // which event of the script
};

struct SlowStream {
  ChannelId channel;
  std::vector<ProcessId> writers, readers;
  std::vector<Byte> bytes;
  std::size_t taken = 0;
};

struct Shape {
  std::uint32_t processes = 5, streams = 4, steps = 400;
  std::uint32_t piece_max = 9;
  double unseen = 0;  // share of operations of which the trace has no event
  double shared = .5;
};

struct SlowRun {
  LiveScript script;
  std::vector<SlowStream> streams;
};

SlowRun run_slowly(std::uint64_t seed, const Shape& shape) {
  Random random(seed);
  SlowRun run;
  for (std::uint32_t p = 0; p < shape.processes; ++p) run.script.process("p" + std::to_string(p));
  const auto any_seen = [&] { return ProcessId{static_cast<std::uint32_t>(random.below(shape.processes))}; };
  for (std::uint32_t s = 0; s < shape.streams; ++s) {
    SlowStream stream{run.script.stream("pipe " + std::to_string(s)), {any_seen()}, {any_seen()}, {}, 0};
    while (random.chance(shape.shared)) stream.writers.push_back(any_seen());
    while (random.chance(shape.shared)) stream.readers.push_back(any_seen());
    run.streams.push_back(std::move(stream));
  }
  for (std::uint32_t step = 0; step < shape.steps; ++step) {
    SlowStream& stream = run.streams[random.below(run.streams.size())];
    const bool sends = random.chance(.55);
    const std::size_t room = sends ? shape.piece_max : std::min<std::size_t>(stream.bytes.size() - stream.taken, 12);
    const auto length = static_cast<std::uint32_t>(random.below(room + 1));
    const auto& ends = sends ? stream.writers : stream.readers;
    const ProcessId process = ends[random.below(ends.size())];
    const std::uint64_t offset = sends ? stream.bytes.size() : stream.taken;
    std::size_t event = kNobody;
    if (!random.chance(shape.unseen)) {
      event = run.script.recording.events.size();
      sends ? run.script.send(process, stream.channel, offset, length)
            : run.script.receive(process, stream.channel, offset, length);
    }
    for (std::uint32_t i = 0; i < length; ++i) {
      if (sends) {
        stream.bytes.push_back({event, kNobody});
      } else {
        stream.bytes[stream.taken++].taken_by = event;
      }
    }
  }
  return run;
}

struct Message {
  ProcessId peer;
  std::uint64_t sequence = 0, length_bytes = 0;
  friend bool operator==(const Message&, const Message&) = default;
};

// What the bytes' labels say, by event of the script.
class Labels {
 public:
  explicit Labels(const SlowRun& run)
      : events_(run.script.recording.events), messages_(events_.size()), unread_(events_.size()) {
    for (const auto& stream : run.streams) read(stream);
  }
  const std::vector<Message>& of(std::size_t event) const { return messages_[event]; }

 private:
  ProcessId process_of(std::size_t event) const { return events_[event].process; }

  // Sends first, byte by byte: which process took which share of each.
  void read(const SlowStream& stream) {
    for (std::size_t at = 0; at < stream.bytes.size(); ++at) {
      const std::size_t send = stream.bytes[at].sent_by;
      if (send == kNobody || events_[send].sequence != at) continue;
      read_send(stream, send);
    }
    for (std::size_t at = 0; at < stream.bytes.size(); ++at) {
      const std::size_t receive = stream.bytes[at].taken_by;
      if (receive == kNobody || events_[receive].sequence != at) continue;
      read_receive(stream, receive);
    }
  }

  void read_send(const SlowStream& stream, std::size_t send) {
    auto& messages = messages_[send];
    std::uint64_t untaken = 0;
    std::size_t last = 0;
    for (std::size_t at = events_[send].sequence; at < events_[send].sequence + events_[send].length_bytes; ++at) {
      ++untaken;
      if (stream.bytes[at].taken_by == kNobody) continue;
      const ProcessId taker = process_of(stream.bytes[at].taken_by);
      for (last = 0; last < messages.size() && messages[last].peer != taker;) ++last;
      if (last == messages.size()) messages.push_back({taker, at, 0});
      messages[last].length_bytes += std::exchange(untaken, 0);
    }
    if (messages.empty()) return;
    messages[last].length_bytes += untaken;
    const auto after = stream.bytes.begin() + static_cast<std::ptrdiff_t>(events_[send].sequence);
    if (std::none_of(after + events_[send].length_bytes, stream.bytes.end(),
                     [](const Byte& b) { return b.taken_by != kNobody; }))
      unread_[send] = {messages[last].peer, untaken};
  }

  void read_receive(const SlowStream& stream, std::size_t receive) {
    const Event& event = events_[receive];
    Message unsent;
    std::size_t unsent_place = 0;
    for (std::size_t at = event.sequence; at < event.sequence + event.length_bytes; ++at) {
      const std::size_t send = stream.bytes[at].sent_by;
      if (send == kNobody) {
        if (unsent.length_bytes++ == 0) {
          unsent.sequence = at;
          unsent.peer = probable_sender(stream, at);
          unsent_place = messages_[receive].size();
        }
        continue;
      }
      for (const auto& message : messages_[send]) {
        if (message.peer != event.process || message.sequence != at) continue;
        const std::uint64_t unread = unread_[send].by == event.process ? unread_[send].bytes : 0;
        messages_[receive].push_back({process_of(send), at, message.length_bytes - unread});
      }
    }
    if (unsent.length_bytes > 0)
      messages_[receive].insert(messages_[receive].begin() + static_cast<std::ptrdiff_t>(unsent_place), unsent);
  }

  // The sender of the last byte before it that any process was seen to send.
  ProcessId probable_sender(const SlowStream& stream, std::size_t at) const {
    while (at-- > 0) {
      if (stream.bytes[at].sent_by != kNobody) return process_of(stream.bytes[at].sent_by);
    }
    ProcessId first;
    for (const auto& event : events_) {
      if (event.type == EventType::send && event.channel == stream.channel) first = std::min(first, event.process);
    }
    return first;
  }

  const std::vector<Event>& events_;
  std::vector<std::vector<Message>> messages_;
  struct Unread {
    ProcessId by;
    std::uint64_t bytes = 0;
  };
  std::vector<Unread> unread_;  // by SEND: the end of a stream, that the last receiver of its bytes did not take
};

// Compares event by event; each event of the script has its own local time, which the events made from it have as well.
void check_against_labels(const SlowRun& run, const Recording& resolved) {
  const Labels labels(run);
  std::map<std::int64_t, std::vector<Event>> became;
  for (const auto& event : resolved.events) became[event.local_time.ns].push_back(event);
  const auto& events = run.script.recording.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto& outcome = became[events[i].local_time.ns];
    const auto& expected = labels.of(i);
    const bool sends = events[i].type == EventType::send;
    INFO("event " << i << " (" << name_of(events[i].type) << " of process " << events[i].process.value << ", bytes "
                  << events[i].sequence << " + " << events[i].length_bytes << ")");
    REQUIRE_FALSE(outcome.empty());
    for (const auto& event : outcome) {
      CHECK(event.process == events[i].process);
      CHECK(event.proc_time_ns == events[i].proc_time_ns);
    }
    if (expected.empty()) {
      REQUIRE(outcome.size() == 1);
      const bool is_open = sends && events[i].length_bytes > 0;
      CHECK(((outcome[0].flags & event_flags::kNoMessage) == 0) == is_open);
      if (is_open) CHECK((outcome[0].sequence == events[i].sequence && !outcome[0].peer.is_none()));
      continue;
    }
    REQUIRE(outcome.size() == expected.size());
    for (std::size_t m = 0; m < expected.size(); ++m) {
      const bool outside = expected[m].peer.is_none();  // no process was ever seen to send here
      const Event& event = outcome[m];
      if (outside) CHECK_FALSE(resolved.info[event.peer].in_computation);
      const ProcessId peer = outside ? ProcessId{} : event.peer;
      CHECK(Message{peer, event.sequence, event.length_bytes} == expected[m]);
    }
  }
}

std::map<ProcessId, Lines> by_process(const Recording& recording) {
  std::map<ProcessId, Lines> lines;
  const auto all = shown(recording);
  for (std::size_t i = 0; i < all.size(); ++i) lines[recording.events[i].process].push_back(all[i]);
  return lines;
}

// In one pass: what the sink for messages gets, and what the other one.
struct Streamed {
  Recording messages, performed;
  std::uint64_t hurried = 0;
  std::size_t waiting = 0;
};

Streamed streamed(const Recording& recording, std::size_t batch_events = 7) {
  RecordingSink performed, messages;
  StreamedMessages stream(performed, messages);
  DPM_CHECK(MemorySource(recording, batch_events).run(stream).has_value());
  Streamed result{messages.recording(), performed.recording(), stream.hurried(), stream.waiting()};
  result.messages.info = result.performed.info = stream.rows();
  return result;
}

std::map<std::string, std::multiset<std::string>> sets_of(const Recording& recording) {
  std::map<std::string, std::multiset<std::string>> sets;
  const auto all = shown(recording);
  for (std::size_t i = 0; i < all.size(); ++i)
    sets[recording.info[recording.events[i].process].name].insert(
        all[i] + fmt::format(" at {} by {}", recording.events[i].local_time.ns, recording.events[i].proc_time_ns));
  return sets;
}

// For any input: no message is sent or received twice, none is received longer than it was sent, and clocks run forward.
void check_sound(const Recording& resolved) {
  using Key = std::tuple<ProcessId, ChannelId, std::uint64_t>;
  std::map<Key, std::uint32_t> sent;
  std::set<Key> received;
  std::map<ProcessId, std::uint64_t> clock;
  const auto is_message = [&](const Event& event) {
    return (event.flags & event_flags::kNoMessage) == 0 && event.channel.value < resolved.info.channels.size();
  };
  for (const auto& event : resolved.events) {
    CHECK(event.proc_time_ns >= std::exchange(clock[event.process], event.proc_time_ns));
    if (event.type == EventType::send && is_message(event))
      CHECK(sent.emplace(Key{event.process, event.channel, event.sequence}, event.length_bytes).second);
  }
  for (const auto& event : resolved.events) {
    if (event.type != EventType::receive || !is_message(event)) continue;
    const Key key{event.peer, event.channel, event.sequence};
    CHECK(received.insert(key).second);
    if (const auto found = sent.find(key); found != sent.end()) CHECK(found->second >= event.length_bytes);
  }
}

}  // namespace

TEST_CASE("messages: what the resolver says of streams is what the label of every byte says", "[messages]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Shape shape;
    shape.unseen = seed % 3 == 0 ? .2 : 0;
    shape.piece_max = seed % 4 == 0 ? 40 : 9;
    shape.shared = seed % 5 == 0 ? 0 : .5;
    const SlowRun run = run_slowly(seed, shape);
    INFO("seed " << seed);
    check_against_labels(run, run.script.resolved());
  }
}

TEST_CASE("messages: the order between processes changes nothing", "[messages]") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Shape shape;
    shape.unseen = seed % 2 == 0 ? .2 : 0;
    const SlowRun run = run_slowly(seed, shape);
    const auto expected = by_process(run.script.resolved());
    INFO("seed " << seed);
    CHECK(by_process(resolve(reordered_between_processes(run.script.recording, seed), 7)) == expected);
  }
}

TEST_CASE("messages: a damaged trace is resolved all the same, and soundly", "[messages]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    Recording damaged = run_slowly(seed, {}).script.recording;
    std::vector<Event> events;
    for (Event event : damaged.events) {
      if (random.chance(.05)) continue;
      if (random.chance(.05)) event.sequence = random.chance(.5) ? random.below(300) : random.next();
      if (random.chance(.05)) event.length_bytes = static_cast<std::uint32_t>(random.next() >> random.below(64));
      if (random.chance(.02)) event.type = kEventTypes[random.below(kEventTypes.size())];
      if (random.chance(.02)) event.channel = random.chance(.5) ? ChannelId{} : ChannelId{1000};
      events.push_back(event);
      if (random.chance(.05)) events.push_back(event);
    }
    damaged.events = std::move(events);
    INFO("seed " << seed);
    const Recording resolved = resolve(damaged);
    check_sound(resolved);
    CHECK(resolved.events.size() >= damaged.events.size());
  }
}

TEST_CASE("messages: in one pass they are those of two", "[messages]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Shape shape;
    shape.unseen = seed % 3 == 0 ? .2 : 0;
    shape.piece_max = seed % 4 == 0 ? 40 : 9;
    shape.shared = seed % 5 == 0 ? 0 : .5;
    const Recording recording = run_slowly(seed, shape).script.recording;
    INFO("seed " << seed);
    const Streamed once = streamed(recording, 1 + seed % 50);
    CHECK(sets_of(once.messages) == sets_of(resolve(recording)));
    CHECK(once.hurried == 0);
    CHECK(once.waiting == 0);
  }
}

TEST_CASE("messages: in one pass, each event passes at once and in its order, as no message", "[messages]") {
  const Recording recording = run_slowly(11, {}).script.recording;
  const Recording performed = streamed(recording).performed;
  REQUIRE(performed.events.size() == recording.events.size());
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    CHECK(performed.events[i].local_time == recording.events[i].local_time);
    CHECK((performed.events[i].flags & event_flags::kNoMessage) != 0);
  }
}

TEST_CASE("messages: in one pass, few events wait while the program runs", "[messages]") {
  LiveScript script;
  const auto client = script.process("client"), server = script.process("server");
  const auto asked = script.stream("tcp 1 > 2"), answered = script.stream("tcp 2 > 1"),
             log = script.stream("tcp 1 > 9");
  constexpr std::uint64_t kRounds = 30'000;
  for (std::uint64_t i = 0; i < kRounds; ++i) {
    script.send(client, asked, i * 10, 10);
    script.receive(server, asked, i * 10, 10);
    script.send(server, answered, i * 20, 20);
    script.receive(client, answered, i * 20, 20);
    script.send(client, log, i * 5, 5);  // its reader is not metered
  }
  RecordingSink performed, messages;
  StreamedMessages stream(performed, messages);
  std::size_t most = 0;
  stream.on_begin(script.recording.info);
  for (const Event& event : script.recording.events) {
    stream.on_events({&event, 1});
    most = std::max(most, stream.waiting());
  }
  CHECK(most < kRounds + 10);  // those that lead outside; until there are too many
  stream.on_end({});
  CHECK(stream.hurried() == 0);
  Recording once = messages.recording();
  once.info = stream.rows();
  CHECK(sets_of(once) == sets_of(script.resolved()));
}

TEST_CASE("messages: in one pass, too many that wait are counted without their other end", "[messages]") {
  LiveScript script;
  const auto client = script.process("client"), server = script.process("server");
  const auto slow = script.stream("tcp 1 > 2");
  const auto count = static_cast<std::uint64_t>(StreamedMessages::kWaitingMost) + 100;
  for (std::uint64_t i = 0; i < count; ++i) script.send(client, slow, i * 10, 10);
  script.receive(server, slow, 0, 10);
  const Streamed once = streamed(script.recording);
  CHECK(once.hurried == 1);
  CHECK(once.messages.events.size() == count + 1);
}
