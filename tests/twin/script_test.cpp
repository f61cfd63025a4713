// Twins of process records written by hand, as recorded: with what a live trace has and a simulated one has not.
#include <fmt/format.h>

#include <algorithm>

#include "cli/twin/twin_trial.hpp"
#include "model/random.hpp"
#include "tests/support/catch.hpp"
#include "twin/contradictions.hpp"
#include "twin/reproduction.hpp"
#include "twin/twin.hpp"

using namespace dpm;
using twin::OperationKind;

namespace {

// Process records on one machine, written message by message.
class RecordedRun {
 public:
  explicit RecordedRun(const std::vector<std::string>& names) {
    recording.info.machines.push_back({"host"});
    for (const auto& name : names) recording.info.processes.push_back({name, name, MachineId{0}});
    recording.records.resize(names.size());
    for (auto& record : recording.records) record.metered = true, record.machine = MachineId{0};
    recording.events = 1;
  }

  std::uint32_t send(std::uint32_t from, std::uint32_t to, std::uint32_t bytes = 40) {
    return add(from, OperationKind::send, to, bytes);
  }
  std::uint32_t receive(std::uint32_t at, std::uint32_t from, std::uint32_t bytes = 40) {
    return add(at, OperationKind::receive, from, bytes);
  }
  void join(std::uint32_t from, std::uint32_t send, std::uint32_t to, std::uint32_t receive) {
    recording.records[from].operations[send].match = receive;
    recording.records[to].operations[receive].match = send;
    ++recording.messages;
  }
  // Sent, and received at once.
  void message(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t sent = send(from, to);
    join(from, sent, to, receive(to, from));
  }
  twin::Recording as_recorded(twin::TwinOptions& options) const {
    for (std::uint32_t p = 0; p < recording.records.size(); ++p) options.as_recorded.insert(p);
    return recording;
  }

  twin::Recording recording;

 private:
  std::uint32_t add(std::uint32_t at, OperationKind kind, std::uint32_t peer, std::uint32_t bytes) {
    twin::Operation operation;
    operation.kind = kind;
    operation.peer = peer;
    operation.bytes = bytes;
    operation.cpu_ns = 1'000'000;
    operation.time_ns = now_ns_ += 1000;
    recording.records[at].operations.push_back(operation);
    return static_cast<std::uint32_t>(recording.records[at].operations.size() - 1);
  }

  std::int64_t now_ns_ = 0;
};

// Everything as recorded: what the twin reproduces of it.
twin::Reproduction scripted(const RecordedRun& run) {
  twin::TwinOptions options;
  const auto made = twin::make_twin(run.as_recorded(options), options);
  REQUIRE((made ? "" : made.error().what) == std::string());
  const auto twin_run = cli::run_twin(*made);
  INFO(twin_run.failure);
  return twin::compare(*made, twin_run);
}

cli::TwinTrial trial_of(const twin::Recording& recording) {
  auto trial = cli::try_twin(recording, {}, {}, [](const std::string&) {});
  REQUIRE((trial ? "" : trial.error().what) == std::string());
  return std::move(*trial);
}

twin::Reproduction tried(const RecordedRun& run) { return trial_of(run.recording).reproduction; }

bool any_as_recorded(const twin::Twin& made) {
  return std::any_of(made.groups.begin(), made.groups.end(), [](const auto& group) { return group.as_recorded; });
}

// Events of three live processes on one machine: 0 is the parent of the others.
class Family {
 public:
  Family() {
    info.machines.push_back({"host"});
    info.channels.push_back({});
    for (const auto* name : {"parent", "first", "second"}) info.processes.push_back({name, name, MachineId{0}});
  }

  void event(EventType type, std::uint32_t process, std::uint32_t peer, double cpu_s) {
    Event event;
    event.type = type;
    event.process = ProcessId{process};
    event.peer = ProcessId{peer};
    event.machine = MachineId{0};
    event.channel = ChannelId{0};
    event.length_bytes = 40;
    event.local_time.ns = now_ns_ += 1000;
    event.proc_time_ns = static_cast<std::uint64_t>(cpu_s * 1e9);
    events.push_back(event);
  }

  twin::Recording recorded() {
    twin::RecordingSink recorder;
    recorder.on_begin(info);
    recorder.on_events(events);
    recorder.on_end({});
    auto recording = recorder.take();
    REQUIRE((recording ? "" : recording.error().what) == std::string());
    return *recording;
  }

  TraceInfo info;
  std::vector<Event> events;

 private:
  std::int64_t now_ns_ = 0;
};

}  // namespace

TEST_CASE("twin: what comes again and again is written once, however it is nested", "[twin]") {
  RecordedRun run({"client", "server"});
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 5; ++i) run.message(0, 1), run.message(1, 0);
    run.message(0, 1);
  }
  twin::TwinOptions options;
  auto made = twin::make_twin(run.as_recorded(options), options);
  REQUIRE(made.has_value());
  const auto& start = made->find("client")->program.start;
  REQUIRE(start.size() == 1);
  const auto* repeat = std::get_if<steps::Repeat>(&start[0].what);
  CHECK((repeat != nullptr && repeat->times.number == 10));
  CHECK(made->find("client")->as_recorded);
  const auto reproduction = scripted(run);
  CHECK(reproduction.lacks.empty());
  CHECK(reproduction.reproduced == 110);
  CHECK(reproduction.T_twin_s == Approx(0.22));
}

TEST_CASE("twin: a message that was never received stops nothing, and neither does one that was never sent", "[twin]") {
  RecordedRun run({"client", "server"});
  for (int round = 0; round < 10; ++round) {
    run.message(0, 1);
    if (round == 3) run.send(0, 1);     // lost
    if (round == 5) run.receive(1, 0);  // its SEND is lost
    run.message(1, 0);
  }
  run.send(1, 0);  // after the client has ended
  for (const auto& reproduction : {scripted(run), tried(run)}) {
    CHECK(reproduction.ended);
    CHECK(reproduction.in_trace == 23);
    CHECK(reproduction.reproduced >= 22);
  }
}

TEST_CASE("twin: a process that is only ever sent messages it does not take loads and runs", "[twin]") {
  RecordedRun run({"client", "server", "idle"});
  for (int round = 0; round < 4; ++round) run.message(0, 1), run.message(1, 0), run.send(0, 2);
  CHECK(scripted(run).lacks.empty());
  CHECK(tried(run).lacks.empty());
}

TEST_CASE("twin: messages to oneself are sent and received", "[twin]") {
  RecordedRun run({"server", "client"});
  for (int round = 0; round < 10; ++round) run.message(1, 0), run.message(0, 0), run.message(0, 1);
  CHECK(scripted(run).lacks.empty());
  CHECK(tried(run).lacks.empty());
}

TEST_CASE("twin: a message received before it was sent is taken apart, and the others stay", "[twin]") {
  RecordedRun run({"a", "b"});
  // Each receives first what the other sends afterwards.
  const auto first_a = run.receive(0, 1), first_b = run.receive(1, 0);
  const auto sent_a = run.send(0, 1), sent_b = run.send(1, 0);
  run.join(0, sent_a, 1, first_b);
  run.join(1, sent_b, 0, first_a);
  for (int i = 0; i < 5; ++i) run.message(0, 1), run.message(1, 0);
  twin::Recording apart = run.recording;
  CHECK(twin::split_contradictions(apart) == 1);
  CHECK(apart.messages == 11);
  CHECK(twin::split_contradictions(apart) == 0);
  CHECK(scripted(run).ended);
}

TEST_CASE("twin: random causally possible records, as recorded, always run to their end", "[twin]") {
  Random random(7);
  for (int program = 0; program < 30; ++program) {
    const std::size_t processes = 2 + random.below(5);
    std::vector<std::string> names;
    for (std::size_t p = 0; p < processes; ++p) names.push_back(fmt::format("p{}x", p));
    RecordedRun run(names);
    struct Sent {
      std::uint32_t from, operation, to;
    };
    std::vector<Sent> under_way;
    for (int step = 0; step < 300; ++step) {
      // Any message that is on its way may be received next, so that messages overtake each other, and some stay.
      if (!under_way.empty() && random.below(2) == 0) {
        const std::size_t taken = random.below(under_way.size());
        const Sent sent = under_way[taken];
        under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(taken));
        run.join(sent.from, sent.operation, sent.to, run.receive(sent.to, sent.from));
      } else {
        const auto from = static_cast<std::uint32_t>(random.below(processes));
        const auto to = static_cast<std::uint32_t>(random.below(processes));
        under_way.push_back({from, run.send(from, to), to});
      }
    }
    const auto reproduction = scripted(run);
    INFO("program " << program);
    for (const auto& lack : reproduction.lacks) INFO(lack);
    CHECK(reproduction.ended);
    CHECK(reproduction.reproduced == reproduction.in_trace);
  }
}

TEST_CASE("twin: random causally possible records have a twin that runs, however little of them is understood",
          "[twin]") {
  Random random(11);
  for (int program = 0; program < 8; ++program) {
    const std::size_t processes = 2 + random.below(4);
    std::vector<std::string> names;
    for (std::size_t p = 0; p < processes; ++p) names.push_back(fmt::format("p{}x", p));
    RecordedRun run(names);
    for (int step = 0; step < 150; ++step)
      run.message(static_cast<std::uint32_t>(random.below(processes)),
                  static_cast<std::uint32_t>(random.below(processes)));
    const auto reproduction = tried(run);
    INFO("program " << program);
    for (const auto& lack : reproduction.lacks) INFO(lack);
    CHECK(reproduction.lacks.empty());
  }
}

TEST_CASE("twin: a server that greets, and does more on the first request than on the last, is understood", "[twin]") {
  RecordedRun run({"server", "early", "late"});
  for (const std::uint32_t client : {1u, 2u}) {
    run.message(client, 0);
    run.message(0, client), run.message(0, client);  // a greeting, and an answer
    for (int round = 0; round < 9; ++round) run.message(client, 0), run.message(0, client);
    run.message(client, 0);  // a last message, which is not answered
  }
  const auto trial = trial_of(run.recording);
  CHECK(trial.reproduction.lacks.empty());
  CHECK(trial.reproduction.reproduced == 44);
  CHECK_FALSE(any_as_recorded(trial.twin));
}

TEST_CASE("twin: a live server whose end follows one client's last message still serves the others", "[twin]") {
  RecordedRun run({"server", "first", "second"});
  run.message(1, 0), run.message(0, 1);
  for (int round = 0; round < 10; ++round) run.message(2, 0), run.message(0, 2);
  run.message(1, 0);
  run.recording.records[0].ended = true;
  const auto trial = trial_of(run.recording);
  CHECK(trial.reproduction.lacks.empty());
  CHECK(trial.reproduction.share() == 1);
  CHECK_FALSE(any_as_recorded(trial.twin));
}

TEST_CASE("twin: what a process did not take causes nothing in the twin either", "[twin]") {
  RecordedRun run({"source", "head", "sink"});
  for (int i = 0; i < 16; ++i) {
    run.message(0, 1);
    for (int part = 0; part < 8 - (i == 0); ++part) run.message(1, 2);
  }
  run.send(0, 1), run.send(0, 1);
  const auto trial = trial_of(run.recording);
  CHECK(trial.reproduction.surplus == 0);
  CHECK(trial.reproduction.share() == 1);
  CHECK_FALSE(any_as_recorded(trial.twin));
}

TEST_CASE("twin: what a publisher sends goes to all that subscribed by then", "[twin]") {
  RecordedRun run({"broker", "publisher", "first", "second"});
  run.message(1, 0), run.message(0, 1);
  run.message(2, 0), run.message(0, 2);
  for (int i = 0; i < 20; ++i) run.message(1, 0), run.message(0, 2);
  run.message(3, 0), run.message(0, 3);
  for (int i = 0; i < 20; ++i) run.message(1, 0), run.message(0, 2), run.message(0, 3), run.message(0, 1);
  const auto trial = trial_of(run.recording);
  CHECK(trial.reproduction.lacks.empty());
  CHECK_FALSE(any_as_recorded(trial.twin));
}

TEST_CASE("twin: a process begins when it is created, and a process that waits for its end continues then", "[twin]") {
  Family family;
  family.event(EventType::create_process, 0, 1, 0.001);
  family.event(EventType::send, 1, 0, 0.1);
  family.event(EventType::receive, 0, 1, 0.001);
  family.event(EventType::destroy_process, 1, 1, 0.2);
  family.event(EventType::wait, 0, 1, 0.001);
  family.event(EventType::create_process, 0, 2, 0.001);
  family.event(EventType::destroy_process, 2, 2, 0.3);
  family.event(EventType::wait, 0, 2, 0.002);
  const auto trial = trial_of(family.recorded());
  CHECK(trial.reproduction.lacks.empty());
  CHECK(trial.reproduction.in_trace == 1);  // neither creations nor ends are messages
  CHECK(trial.reproduction.T_twin_s == Approx(0.502));
  CHECK(trial.reproduction.elapsed_twin_s == Approx(0.502));  // one after the other
}

TEST_CASE("twin: a live process that asks again when no answer came in time has a timeout, a periodic sender has none",
          "[twin]") {
  RecordedRun run({"client", "server", "sensor"});
  const auto after = [&](std::uint32_t process, std::int64_t ms) {
    run.recording.records[process].operations.back().idle.slept_ns = static_cast<std::uint64_t>(ms) * 1'000'000;
  };
  for (int i = 0; i < 20; ++i) {
    run.message(0, 1);
    if (i % 4 == 3) {  // the server does not answer the first time
      const std::uint32_t again = run.send(0, 1);
      after(0, 200);
      run.join(0, again, 1, run.receive(1, 0));
    }
    run.message(1, 0);
    const std::uint32_t value = run.send(2, 1, 12);
    if (i > 0) after(2, 1000);
    run.join(2, value, 1, run.receive(1, 2, 12));
  }
  auto made = twin::make_twin(run.recording);
  REQUIRE(made.has_value());
  const auto& client = *made->find("client");
  CHECK(client.timeouts.count == 5);
  CHECK(client.timeouts.mean_s() == Approx(0.2));
  CHECK(client.sleeps.count == 0);
  const auto& sensor = *made->find("sensor");
  CHECK(sensor.timeouts.count == 0);
  CHECK(sensor.sleeps.count == 19);
}

TEST_CASE("twin: a process that got its messages and did something else is recorded first, then one that is stuck",
          "[twin]") {
  twin::Twin made;
  for (const auto* name : {"client", "server"}) {
    twin::TwinGroup group;
    group.name = name;
    group.processes = {static_cast<std::uint32_t>(made.groups.size())};
    made.groups.push_back(group);
  }
  made.expected.messages = {{{"client", "server"}, 100}, {{"server", "client"}, 100}};
  twin::TwinRun run;
  run.processes = {{"client", "waits for a message from 'server'", 0, true},
                   {"server", "waits for a message", 0, false}};
  run.messages = {{{"client", "server"}, 100}, {{"server", "client"}, 40}};
  const auto fell_short = twin::compare(made, run);
  CHECK_FALSE(fell_short.ended);
  CHECK(fell_short.share() == Approx(0.7));
  REQUIRE(fell_short.lacks.size() == 2);
  CHECK(fell_short.lacks[0] == "'client' waits for a message from 'server'");
  CHECK(twin::to_record(made, run, fell_short) == std::set<std::uint32_t>{1});

  run.messages = {{{"client", "server"}, 40}, {{"server", "client"}, 40}};
  CHECK(twin::to_record(made, run, twin::compare(made, run)) == std::set<std::uint32_t>{0, 1});
}
