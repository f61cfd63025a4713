// Twins of lives told by hand, as recorded: what a live trace has and a simulated one has not.
#include <algorithm>

#include "cli/twin/twin_trial.hpp"
#include "model/random.hpp"
#include "tests/support/catch.hpp"
#include "twin/contradictions.hpp"
#include "twin/reproduction.hpp"
#include "twin/twin.hpp"

using namespace dpm;
using twin::kNone;
using twin::OpKind;

namespace {

// Lives on one machine, told message by message.
class Told {
 public:
  explicit Told(const std::vector<std::string>& names) {
    recording.info.source = "linux-seccomp";
    recording.info.machines.push_back({"host"});
    for (const auto& name : names) recording.info.processes.push_back({name, name, MachineId{0}});
    recording.lives.resize(names.size());
    for (auto& life : recording.lives) life.metered = true, life.machine = MachineId{0};
    recording.events = 1;
  }

  std::uint32_t send(std::uint32_t from, std::uint32_t to, std::uint32_t bytes = 40) {
    return add(from, OpKind::send, to, bytes);
  }
  std::uint32_t receive(std::uint32_t at, std::uint32_t from, std::uint32_t bytes = 40) {
    return add(at, OpKind::receive, from, bytes);
  }
  void join(std::uint32_t from, std::uint32_t send, std::uint32_t to, std::uint32_t receive) {
    recording.lives[from].ops[send].match = receive;
    recording.lives[to].ops[receive].match = send;
    ++recording.messages;
  }
  // Sent, and received at once.
  void message(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t sent = send(from, to);
    join(from, sent, to, receive(to, from));
  }
  twin::Recording as_recorded(twin::TwinOptions& options) const {
    for (std::uint32_t p = 0; p < recording.lives.size(); ++p) options.as_recorded.insert(p);
    return recording;
  }

  twin::Recording recording;

 private:
  std::uint32_t add(std::uint32_t at, OpKind kind, std::uint32_t peer, std::uint32_t bytes) {
    twin::Op op;
    op.kind = kind;
    op.peer = peer;
    op.bytes = bytes;
    op.cpu_ns = 1'000'000;
    op.time_ns = now_ns_ += 1000;
    recording.lives[at].ops.push_back(op);
    return static_cast<std::uint32_t>(recording.lives[at].ops.size() - 1);
  }

  std::int64_t now_ns_ = 0;
};

// Everything as recorded: what the twin reproduces of it.
twin::Reproduction scripted(const Told& told) {
  twin::TwinOptions options;
  const auto made = twin::make_twin(told.as_recorded(options), options);
  REQUIRE((made ? "" : made.error().what) == std::string());
  const auto run = cli::run_twin(*made);
  INFO(run.failure);
  return twin::compare(*made, run);
}

cli::TwinTrial trial_of(const twin::Recording& recording) {
  auto trial = cli::try_twin(recording, {}, {}, [](const std::string&) {});
  REQUIRE((trial ? "" : trial.error().what) == std::string());
  return std::move(*trial);
}

twin::Reproduction tried(const Told& told) { return trial_of(told.recording).reproduction; }

bool any_as_recorded(const twin::Twin& made) {
  return std::any_of(made.groups.begin(), made.groups.end(), [](const auto& group) { return group.as_recorded; });
}

// Events of three live processes on one machine: 0 is the parent of the others.
class Family {
 public:
  Family() {
    info.source = "linux-seccomp";
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
    twin::Recorder recorder;
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
  Told told({"client", "server"});
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 5; ++i) told.message(0, 1), told.message(1, 0);
    told.message(0, 1);
  }
  twin::TwinOptions options;
  auto made = twin::make_twin(told.as_recorded(options), options);
  REQUIRE(made.has_value());
  const auto& start = made->find("client")->program.start;
  REQUIRE(start.size() == 1);
  const auto* repeat = std::get_if<steps::Repeat>(&start[0].what);
  CHECK((repeat != nullptr && repeat->times.value == 10));
  CHECK(made->find("client")->as_recorded);
  const auto reproduction = scripted(told);
  CHECK(reproduction.lacks.empty());
  CHECK(reproduction.reproduced == 110);
  CHECK(reproduction.T_twin_s == Approx(0.22));
}

TEST_CASE("twin: a message that was never received stops nothing, and neither does one that was never sent", "[twin]") {
  Told told({"client", "server"});
  for (int round = 0; round < 10; ++round) {
    told.message(0, 1);
    if (round == 3) told.send(0, 1);     // lost
    if (round == 5) told.receive(1, 0);  // its SEND is lost
    told.message(1, 0);
  }
  told.send(1, 0);  // after the client has ended
  for (const auto& reproduction : {scripted(told), tried(told)}) {
    CHECK(reproduction.ended);
    CHECK(reproduction.in_trace == 23);
    CHECK(reproduction.reproduced >= 22);
  }
}

TEST_CASE("twin: a process that is only ever sent messages it does not take loads and runs", "[twin]") {
  Told told({"client", "server", "idle"});
  for (int round = 0; round < 4; ++round) told.message(0, 1), told.message(1, 0), told.send(0, 2);
  CHECK(scripted(told).lacks.empty());
  CHECK(tried(told).lacks.empty());
}

TEST_CASE("twin: messages to oneself are sent and received", "[twin]") {
  Told told({"server", "client"});
  for (int round = 0; round < 10; ++round) told.message(1, 0), told.message(0, 0), told.message(0, 1);
  CHECK(scripted(told).lacks.empty());
  CHECK(tried(told).lacks.empty());
}

TEST_CASE("twin: a message received before it was sent is taken apart, and the others stay", "[twin]") {
  Told told({"a", "b"});
  // Each receives first what the other sends afterwards.
  const auto first_a = told.receive(0, 1), first_b = told.receive(1, 0);
  const auto sent_a = told.send(0, 1), sent_b = told.send(1, 0);
  told.join(0, sent_a, 1, first_b);
  told.join(1, sent_b, 0, first_a);
  for (int i = 0; i < 5; ++i) told.message(0, 1), told.message(1, 0);
  twin::Recording apart = told.recording;
  CHECK(twin::take_contradictions_apart(apart) == 1);
  CHECK(apart.messages == 11);
  CHECK(twin::take_contradictions_apart(apart) == 0);
  CHECK(scripted(told).ended);
}

TEST_CASE("twin: random causally possible lives, as recorded, always come to their end", "[twin]") {
  Random random(7);
  for (int program = 0; program < 30; ++program) {
    const std::size_t processes = 2 + random.below(5);
    std::vector<std::string> names;
    for (std::size_t p = 0; p < processes; ++p) names.push_back("p" + std::to_string(p) + "x");
    Told told(names);
    struct Sent {
      std::uint32_t from, op, to;
    };
    std::vector<Sent> under_way;
    for (int step = 0; step < 300; ++step) {
      // Any message that is under way may be the next received, so that messages overtake each other, and some stay.
      if (!under_way.empty() && random.below(2) == 0) {
        const std::size_t taken = random.below(under_way.size());
        const Sent sent = under_way[taken];
        under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(taken));
        told.join(sent.from, sent.op, sent.to, told.receive(sent.to, sent.from));
      } else {
        const auto from = static_cast<std::uint32_t>(random.below(processes));
        const auto to = static_cast<std::uint32_t>(random.below(processes));
        under_way.push_back({from, told.send(from, to), to});
      }
    }
    const auto reproduction = scripted(told);
    INFO("program " << program);
    for (const auto& lack : reproduction.lacks) INFO(lack);
    CHECK(reproduction.ended);
    CHECK(reproduction.reproduced == reproduction.in_trace);
  }
}

TEST_CASE("twin: random causally possible lives have a twin that runs, however little of them is understood",
          "[twin]") {
  Random random(11);
  for (int program = 0; program < 8; ++program) {
    const std::size_t processes = 2 + random.below(4);
    std::vector<std::string> names;
    for (std::size_t p = 0; p < processes; ++p) names.push_back("p" + std::to_string(p) + "x");
    Told told(names);
    for (int step = 0; step < 150; ++step)
      told.message(static_cast<std::uint32_t>(random.below(processes)),
                   static_cast<std::uint32_t>(random.below(processes)));
    const auto reproduction = tried(told);
    INFO("program " << program);
    for (const auto& lack : reproduction.lacks) INFO(lack);
    CHECK(reproduction.lacks.empty());
  }
}

TEST_CASE("twin: a server that greets, and does more on the first request than on the last, is understood", "[twin]") {
  Told told({"server", "early", "late"});
  for (const std::uint32_t client : {1u, 2u}) {
    told.message(client, 0);
    told.message(0, client), told.message(0, client);  // a greeting, and an answer
    for (int round = 0; round < 9; ++round) told.message(client, 0), told.message(0, client);
    told.message(client, 0);  // goes, and is not answered
  }
  const auto trial = trial_of(told.recording);
  CHECK(trial.reproduction.lacks.empty());
  CHECK(trial.reproduction.reproduced == 44);
  CHECK_FALSE(any_as_recorded(trial.twin));
}

TEST_CASE("twin: a live server whose end follows one client's last message still serves the others", "[twin]") {
  Told told({"server", "first", "second"});
  told.message(1, 0), told.message(0, 1);
  for (int round = 0; round < 10; ++round) told.message(2, 0), told.message(0, 2);
  told.message(1, 0);
  told.recording.lives[0].ended = true;
  const auto trial = trial_of(told.recording);
  CHECK(trial.reproduction.lacks.empty());
  CHECK(trial.reproduction.share() == 1);
  CHECK_FALSE(any_as_recorded(trial.twin));
}

TEST_CASE("twin: what a process did not take causes nothing in the twin either", "[twin]") {
  Told told({"source", "head", "sink"});
  for (int i = 0; i < 16; ++i) {
    told.message(0, 1);
    for (int part = 0; part < 8 - (i == 0); ++part) told.message(1, 2);
  }
  told.send(0, 1), told.send(0, 1);
  const auto trial = trial_of(told.recording);
  CHECK(trial.reproduction.surplus == 0);
  CHECK(trial.reproduction.share() == 1);
  CHECK_FALSE(any_as_recorded(trial.twin));
}

TEST_CASE("twin: what a publisher sends goes to all who subscribed by then", "[twin]") {
  Told told({"broker", "publisher", "first", "second"});
  told.message(1, 0), told.message(0, 1);
  told.message(2, 0), told.message(0, 2);
  for (int i = 0; i < 20; ++i) told.message(1, 0), told.message(0, 2);
  told.message(3, 0), told.message(0, 3);
  for (int i = 0; i < 20; ++i) told.message(1, 0), told.message(0, 2), told.message(0, 3), told.message(0, 1);
  const auto trial = trial_of(told.recording);
  CHECK(trial.reproduction.lacks.empty());
  CHECK_FALSE(any_as_recorded(trial.twin));
}

TEST_CASE("twin: a process begins when it is created, and who waits for its end goes on then", "[twin]") {
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
  CHECK(trial.reproduction.in_trace == 1);  // neither births nor ends are messages
  CHECK(trial.reproduction.T_twin_s == Approx(0.502));
  CHECK(trial.reproduction.elapsed_twin_s == Approx(0.502));  // one after the other
}

TEST_CASE("twin: what got its messages and did something else is recorded first, then what stands still", "[twin]") {
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
