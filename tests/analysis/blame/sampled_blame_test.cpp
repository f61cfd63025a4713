// The division by samples, by hand.
#include "analysis/blame/blame.hpp"
#include "analysis/blame/blame_tree.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

// A asks B at 100 and has its answer at 900; B gets the question at 200, computes, and answers at 800. The trace does not have the
// times of waiting.
struct Asked {
  std::vector<Event> events;
  std::vector<std::int64_t> times_ns;
  TraceInfo info;

  Asked() {
    info.machines = {{"red"}, {"green"}};
    info.processes = {{"A", "", MachineId{0}}, {"B", "", MachineId{1}}};
    add(0, 0, EventType::start_process);
    message(0, 100, EventType::send, 1, 1);
    add(0, 101, EventType::receive_call);
    message(0, 900, EventType::receive, 1, 1);
    add(0, 1000, EventType::destroy_process);
    add(1, 0, EventType::start_process);
    add(1, 1, EventType::receive_call);
    message(1, 200, EventType::receive, 0, 1);
    message(1, 800, EventType::send, 0, 1);
    add(1, 1000, EventType::destroy_process);
  }

  Event& add(std::uint32_t process, std::int64_t time_ns, EventType type) {
    Event event;
    event.process.value = process;
    event.machine = MachineId{static_cast<std::uint16_t>(process)};
    event.type = type;
    events.push_back(event);
    times_ns.push_back(time_ns);
    return events.back();
  }
  void message(std::uint32_t process, std::int64_t time_ns, EventType type, std::uint32_t peer, std::uint64_t number) {
    Event& event = add(process, time_ns, type);
    event.peer.value = peer;
    event.channel.value = type == EventType::send ? peer : process;
    event.sequence = number;
  }
  SampledBlame divide(const SampledStates& states, std::int64_t to_ns = 1000) const {
    return BlameAnalysis(events, times_ns, info).divide(ProcessId{0}, {0, to_ns}, states);
  }
};

void sample(SampledStates& states, std::int64_t at_ns, SampledState a, SampledState b) {
  states.begin_sample(at_ns);
  states.set(ProcessId{0}, a, at_ns);
  states.set(ProcessId{1}, b, at_ns);
}

constexpr auto kRuns = SampledState::runs, kWaits = SampledState::waits, kQueues = SampledState::queues;

TEST_CASE("sampled blame: each sample belongs to what the last process on the way did", "[blame]") {
  SampledStates states;
  sample(states, 50, kRuns, kWaits);                // A runs
  sample(states, 150, kWaits, kWaits);              // the question is on its way: B waits for A, a circle
  sample(states, 300, kWaits, kQueues);             // B queues
  sample(states, 500, kWaits, SampledState::disk);  // and so on
  sample(states, 700, kWaits, SampledState::lock);
  sample(states, 850, kWaits, kWaits);  // the answer is on its way
  sample(states, 950, SampledState::timer, kWaits);
  const auto [root, samples] = Asked().divide(states);
  CHECK(samples == 7);
  CHECK(root.total_ns() == 1000);
  const std::int64_t one = 1000 / 7;
  const auto is_one = [&](std::int64_t ns) { return ns == one || ns == one + 1; };
  CHECK(is_one(root.of(BlamePart::cpu)));
  CHECK(is_one(root.of(BlamePart::timer)));
  REQUIRE(root.waits.size() == 1);
  const BlameNode& b = root.waits[0];
  CHECK(b.process == ProcessId{1});
  CHECK(b.times == 5);
  CHECK(is_one(b.of(BlamePart::cpu_queue)));
  CHECK(is_one(b.of(BlamePart::disk)));
  CHECK(is_one(b.of(BlamePart::lock)));
  CHECK(is_one(b.of(BlamePart::on_its_way)));
  REQUIRE(b.waits.size() == 1);  // for A, whose question was on its way
  CHECK(b.waits[0].process == ProcessId{0});
  CHECK(is_one(b.waits[0].of(BlamePart::on_its_way)));
}

TEST_CASE("sampled blame: a process is joined with its own messages at the instant at which it was seen", "[blame]") {
  SampledStates states;
  states.begin_sample(195);
  states.set(ProcessId{0}, kWaits, 195);
  states.set(ProcessId{1}, kRuns, 205);  // it has the question by now
  const auto found = Asked().divide(states);
  REQUIRE(found.root.waits.size() == 1);
  CHECK(found.root.waits[0].of(BlamePart::cpu) == 1000);
}

TEST_CASE("sampled blame: what was not sampled waits where the trace says so, and is not split elsewhere", "[blame]") {
  SampledStates states;
  for (const std::int64_t at_ns : {50, 300}) states.begin_sample(at_ns);
  const auto found = Asked().divide(states);
  CHECK(found.root.of(BlamePart::not_split) == 500);
  REQUIRE(found.root.waits.size() == 1);
  CHECK(found.root.waits[0].of(BlamePart::not_split) == 500);
}

TEST_CASE("sampled blame: only samples of the interval count, and none divide nothing", "[blame]") {
  SampledStates states;
  sample(states, 50, kRuns, kWaits);
  sample(states, 950, SampledState::other, kWaits);
  const auto first = Asked().divide(states, 100);
  CHECK(first.samples == 1);
  CHECK(first.root.of(BlamePart::cpu) == 100);
  CHECK(Asked().divide(states, 10).samples == 0);
  CHECK(Asked().divide(SampledStates()).root.total_ns() == 0);
}

TEST_CASE("sampled blame: samples stand for the time around them, and what they do not cover is not sampled",
          "[blame]") {
  SampledStates late(10);
  for (std::int64_t at_ns = 905; at_ns < 1000; at_ns += 10) sample(late, at_ns, kRuns, kWaits);
  const auto found = Asked().divide(late);
  CHECK(found.samples == 10);
  CHECK(found.root.of(BlamePart::cpu) == 100);
  CHECK(found.root.of(BlamePart::not_sampled) == 900);
  CHECK(found.root.total_ns() == 1000);

  SampledStates cut(10);
  for (std::int64_t at_ns = 5; at_ns < 100; at_ns += 10) sample(cut, at_ns, kRuns, kWaits);
  CHECK(Asked().divide(cut).root.of(BlamePart::not_sampled) == 900);

  SampledStates held_up(10);
  for (std::int64_t at_ns = 5; at_ns < 1000; at_ns += at_ns == 105 ? 500 : 10) sample(held_up, at_ns, kRuns, kWaits);
  CHECK(Asked().divide(held_up).root.of(BlamePart::not_sampled) == 490);
}

TEST_CASE("sampled blame: samples that are some intervals late cover the time before them", "[blame]") {
  SampledStates states(10);
  for (std::int64_t at_ns = 5; at_ns < 1000; at_ns += at_ns % 20 == 5 ? 30 : 10) sample(states, at_ns, kRuns, kWaits);
  CHECK(Asked().divide(states).root.of(BlamePart::not_sampled) == 0);
}

TEST_CASE("sampled blame: the interval of a share is that of the time which the samples cover", "[blame]") {
  BlameTree tree{.what = "A", .samples = 100};
  tree.root.of(BlamePart::cpu) = 250;
  tree.root.of(BlamePart::other) = 250;
  tree.root.of(BlamePart::not_sampled) = 500;
  CHECK(tree.covered() == Approx(.5));
  const Share half = mean_share(.5, 100), share = tree.estimate(250);
  CHECK(share.value == Approx(.25));
  CHECK(share.low == Approx(half.low / 2));
  CHECK(share.high == Approx(half.high / 2));
  CHECK(tree.estimate(1000).high == Approx(1));
}

TEST_CASE("sampled states: what does not change is as it was seen last", "[blame]") {
  SampledStates states;
  states.begin_sample(10);
  states.set(ProcessId{2}, kRuns, 12);
  states.begin_sample(20);
  states.begin_sample(30);
  states.set(ProcessId{2}, SampledState::none, 30);
  CHECK(states.at(ProcessId{2}, 0).seen_ns == 12);
  CHECK(states.at(ProcessId{2}, 1).state == kRuns);
  CHECK(states.at(ProcessId{2}, 1).seen_ns == 20);
  CHECK(states.at(ProcessId{2}, 2).state == SampledState::none);
  CHECK(states.at(ProcessId{1}, 0).state == SampledState::none);
  CHECK(states.at(ProcessId{9}, 0).state == SampledState::none);
}

}  // namespace
}  // namespace dpm
