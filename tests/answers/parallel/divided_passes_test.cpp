// Steps one and two of P by several workers print what one alone prints, whatever is missing in the trace and however unequal the
// workers' shares are.
#include <algorithm>
#include <fstream>

#include "analysis/history/history_share.hpp"
#include "analysis/parallelism/streamed_pass.hpp"
#include "model/random.hpp"
#include "tests/answers/parallel/divided_fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

bool is_message(const Event& event) { return event.type == EventType::send || event.type == EventType::receive; }

// Some messages are lost at one end, or their SENDs do not know their receivers.
void lose_messages(Recording& recording, Random& random) {
  std::erase_if(recording.events, [&](const Event& event) { return is_message(event) && random.below(12) == 0; });
  for (Event& event : recording.events)
    if (event.type == EventType::send && random.below(6) == 0) event.peer = {};
}

// A process is not seen from some event on, while messages to it and from it are on their way.
void end_early(Recording& recording, Random& random) {
  const auto process = static_cast<std::uint32_t>(random.below(recording.info.processes.size()));
  const std::size_t from = random.below(recording.events.size());
  std::size_t at = 0;
  std::erase_if(recording.events, [&](const Event& event) { return at++ >= from && event.process.value == process; });
}

void send_to_itself(Recording& recording, Random& random) {
  std::vector<Event> events;
  std::uint64_t number = 1'000'000;
  for (const Event& event : recording.events) {
    events.push_back(event);
    if (event.type != EventType::send || random.below(8) != 0) continue;
    Event own = event;
    own.peer = own.process;
    own.sequence = ++number;
    events.push_back(own);
    own.type = EventType::receive;
    if (random.below(5) != 0) events.push_back(own);
  }
  recording.events = std::move(events);
}

// Processes wait for the ends of later ones, and a thread of one for another thread of it.
void wait_for_ends(Recording& recording, Random& random) {
  const auto count = static_cast<std::uint32_t>(recording.info.processes.size());
  std::vector<Event> last(count);
  for (const Event& event : recording.events) last[event.process.value] = event;
  if (random.below(2) == 0) {
    recording.info.processes[1].group = ProcessId{0};
    recording.info.processes[1].machine = recording.info.processes[0].machine;
    for (Event& event : recording.events)
      if (event.process.value < 2) event.machine = recording.info.processes[0].machine;
    for (std::uint32_t p = 0; p < 2; ++p) last[p].machine = recording.info.processes[0].machine;
  }
  for (std::uint32_t p = count; p-- > 0;) {
    if (last[p].process.is_none()) continue;
    Event event = last[p];
    event.channel = {};
    event.length_bytes = 0;
    for (std::uint32_t other = p + 1; other < count; ++other) {
      if (random.below(3) != 0) continue;
      event.type = EventType::wait;
      event.peer = ProcessId{other};
      const bool is_thread = p == 0 && other == 1 && !recording.info.processes[1].group.is_none();
      event.code = static_cast<std::uint32_t>(is_thread ? WaitKind::thread_end : WaitKind::process_end);
      event.sequence = random.below(2);
      event.proc_time_ns += random.below(1000);
      recording.events.push_back(event);
    }
    if (random.below(2) == 0) continue;
    event.type = EventType::destroy_process;
    event.peer = event.process;
    event.code = 0;
    event.sequence = 0;
    event.proc_time_ns += random.below(1000);
    recording.events.push_back(event);
  }
}

void leave_out_processes(Recording& recording, Random& random) {
  for (auto& process : recording.info.processes)
    if (random.below(4) == 0) process.in_computation = false;
}

// One process has nearly all events.
void make_unequal(Recording& recording, Random& random) {
  const auto busy = static_cast<std::uint32_t>(random.below(recording.info.processes.size()));
  std::erase_if(recording.events,
                [&](const Event& event) { return event.process.value != busy && random.below(4) != 0; });
}

Recording damaged_recording(std::uint64_t seed) {
  Recording recording = recording_of(seed);
  Random random(seed);
  using Change = void (*)(Recording&, Random&);
  for (const Change change :
       {send_to_itself, lose_messages, end_early, wait_for_ends, leave_out_processes, make_unequal})
    if (random.below(2) == 0 && !recording.events.empty()) change(recording, random);
  return recording;
}

PassEvent pass_event(PassKind kind, std::int64_t work_ns, std::uint32_t peer, std::uint32_t place) {
  PassEvent event{work_ns, 0, place};
  event.peer = peer & kNoPeer;
  event.kind_bits = static_cast<std::uint32_t>(kind) & 0xffu;
  return event;
}

}  // namespace

TEST_CASE("divided passes: 150 random computations with losses give the same bytes with 1 to 5 workers", "[parallel]") {
  const std::vector<CommandLine> lines = {{"parallelism", "--method", "none", "--json"},
                                          {"parallelism", "--method", "none"},
                                          {"parallelism", "--method", "none", "--external-time", "--json"},
                                          {"parallelism", "--method", "none", "--everybody", "--json"},
                                          {"parallelism", "--json"}};
  std::size_t divided = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const TemporaryFolder folder;
    const std::string trace = folder / "trace";
    write_trace(trace, damaged_recording(seed));
    INFO("seed " << seed);
    for (const auto& line : lines) divided += !check_same(trace, line, 1 + static_cast<std::uint32_t>(seed % 5));
  }
  CHECK(divided > 150 * lines.size() * 9 / 10);
}

TEST_CASE("divided passes: a placement is the target of all workers, and must be the same for all", "[parallel]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const TemporaryFolder folder;
    const std::string trace = folder / "trace", placement = folder / "placement.json";
    const Recording recording = recording_of(seed);
    write_trace(trace, recording);
    std::ofstream(placement) << R"({"name": "one", "processes": {")" << recording.info.processes[0].name << R"(": ")"
                             << recording.info.machines[0].name << R"("}, "machines": [{"name": ")"
                             << recording.info.machines[0].name << R"(", "speed": 3}]})";
    CHECK_FALSE(check_same(trace, {"parallelism", "--method", "none", "--placement", placement}, 3));
    CHECK_FALSE(check_same(trace, {"parallelism", "--method", "none", "--placement", folder / "missing"}, 3));
  }
}

TEST_CASE("divided passes: messages received before they are sent are for one worker alone", "[parallel]") {
  Recording recording = client_and_server(1);
  std::vector<Event> sends, receives;
  for (const Event& event : recording.events) {
    if (event.type == EventType::send) sends.push_back(event);
    if (event.type == EventType::receive) receives.push_back(event);
  }
  REQUIRE(sends.size() == 2);
  recording.events = {receives[0], receives[1], sends[0], sends[1]};
  const TemporaryFolder folder;
  const std::string trace = folder / "trace";
  write_trace(trace, recording);
  CHECK(check_same(trace, {"parallelism", "--method", "none"}, 2));
  CHECK(check_same(trace, {"parallelism"}, 2));
}

TEST_CASE("divided passes: what is not of this history is refused", "[parallel]") {
  const auto is_taken = [](std::uint32_t process, PassKind kind, std::uint32_t peer) {
    return StreamedPass(2, MessageDelays::target).add(process, std::vector{pass_event(kind, 5, peer, 1)});
  };
  CHECK(is_taken(0, PassKind::message, 1));
  CHECK_FALSE(is_taken(2, PassKind::work, 1));
  CHECK_FALSE(is_taken(0, PassKind::message, 2));
  CHECK_FALSE(is_taken(0, PassKind::lets_go, 2));
  CHECK_FALSE(is_taken(0, static_cast<PassKind>(9), 1));
}

TEST_CASE("divided passes: a process goes on when what it needs comes in a later piece", "[parallel]") {
  StreamedPass pass(2, MessageDelays::none);
  CHECK(pass.add(1, std::vector{pass_event(PassKind::work, 1, 0, 1), pass_event(PassKind::needs, 2, 0, 0)}));
  CHECK(pass.path().not_reached == 1);
  CHECK(pass.add(1, std::vector{pass_event(PassKind::work, 3, 0, 1)}));
  CHECK(pass.path().not_reached == 2);
  CHECK(pass.add(0, std::vector{pass_event(PassKind::message, 5, 1, 1)}));
  CHECK(pass.path().not_reached == 0);
  CHECK(pass.path().t_max_ns == 8);
  CHECK(pass.path().cpu_ns == 11);
}

TEST_CASE("divided passes: cut or invented messages between parts make a history that is not divided", "[parallel]") {
  const Recording recording = client_and_server(5);
  const auto part_of = [&](std::uint32_t own) {
    std::vector<std::uint32_t> parts(recording.info.processes.size());
    for (std::uint32_t p = 0; p < parts.size(); ++p) parts[p] = p % 2;
    return Shares(own, 2, parts);
  };
  for (int round = 0; round < 5; ++round) {
    for (std::size_t cut = 0;; ++cut) {
      HistoryBuilder parts[2] = {HistoryBuilder({}, PartsOfHistory::kept), HistoryBuilder({}, PartsOfHistory::kept)};
      for (std::uint32_t own = 0; own < 2; ++own) {
        parts[own].divide(part_of(own));
        parts[own].on_begin(recording.info);
        for (const Event& event : recording.events)
          if (event.process.value % 2 == own) parts[own].on_events({&event, 1});
      }
      std::size_t bytes = 0;
      for (int now = 0; now <= round; ++now) {
        Bytes sent[2];
        for (std::uint32_t own = 0; own < 2; ++own) {
          std::vector<ByteWriter> writers(2);
          parts[own].put_for(part_of(own), now, writers);
          sent[own] = writers[1 - own].take();
        }
        if (now == round) bytes = sent[0].size(), sent[0].resize(std::min(cut, bytes));
        for (std::uint32_t own = 0; own < 2; ++own) {
          ByteReader in(sent[1 - own]);
          parts[own].take_from(part_of(own), now, 1 - own, in);
        }
      }
      INFO("round " << round << ", " << cut << " of " << bytes << " bytes");
      if (cut >= bytes) {
        CHECK(parts[1].is_divisible());
        break;
      }
      CHECK_FALSE(parts[1].is_divisible());
    }
  }
}
