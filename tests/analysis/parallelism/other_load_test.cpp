#include "analysis/parallelism/other_load.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "analysis/history/shared_machine.hpp"
#include "analysis/parallelism/parallelism.hpp"
#include "model/random.hpp"
#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

std::vector<MachineLoad> loads_of(const EventScript& script, std::size_t most = OtherLoadBuilder::kMostEntries) {
  OtherLoadBuilder builder({}, most);
  builder.on_begin(script.info);
  builder.on_events(script.events);
  builder.on_end({});
  return builder.machines();
}

// A process of a simulation computes `pieces` of 10 ms each, between `others(piece)` other processes, and sends a message after
// each. Its machine has one core.
template <typename Others>
EventScript crowded(int pieces, const Others& others) {
  EventScript script({"red"});
  script.info.properties.scripted = true;
  script.process("worker", "red");
  script.process("log", "red");
  double now_ms = 0;
  script.at_ms("worker", 0);
  script.other("worker", 0, EventType::start_process);
  std::vector<EventScript::Sent> sent;
  for (int piece = 0; piece < pieces; ++piece) {
    now_ms += 10 * (1 + others(piece));
    script.at_ms("worker", now_ms);
    sent.push_back(script.send("worker", 10, "log"));
    script.events.back().load = static_cast<std::uint16_t>(1 + others(piece));
  }
  script.end("worker", 0);
  script.at_ms("log", now_ms);
  for (const auto& message : sent) script.receive("log", 0, message);
  return script;
}

Parallelism with_other_load(const EventScript& script) {
  const History history = history_of(script.info, script.events);
  const Target target = traced_target(history);
  std::optional<Schedule> schedule;
  Parallelism parallelism = measure_parallelism(history, target, SharingMethod::replay, &schedule).value();
  add_other_load(history, target, *schedule, loads_of(script), parallelism);
  return parallelism;
}

// Each process needs `work_ns` from `at_ns` on.
struct Job {
  double at_ns = 0, work_ns = 0;
};

std::map<std::uint32_t, double> ends_by_machine(const std::vector<Job>& jobs, std::uint32_t cores,
                                                const OtherLoad& load) {
  SharedMachine machine;
  machine.clear(cores, 0, &load);
  std::map<std::uint32_t, double> ends;
  for (std::uint32_t next = 0; next < jobs.size() || !machine.is_idle();) {
    const double end_ns = machine.next_completion_ns();
    if (next < jobs.size() && jobs[next].at_ns <= end_ns) {
      machine.add(jobs[next].at_ns, next, jobs[next].work_ns);
      ++next;
      continue;
    }
    machine.advance_to_completion(end_ns);
    ends[machine.first()] = end_ns;
    machine.finish();
  }
  return ends;
}

// The obvious way: in small steps.
std::map<std::uint32_t, double> ends_by_steps(const std::vector<Job>& jobs, std::uint32_t cores, const OtherLoad& load,
                                              double step_ns) {
  std::vector<double> left;
  for (const Job& job : jobs) left.push_back(job.work_ns);
  std::map<std::uint32_t, double> ends;
  for (double now_ns = 0; ends.size() < jobs.size(); now_ns += step_ns) {
    OtherLoad::Step others = load.steps.front();
    for (const auto& step : load.steps)
      if (step.from_ns <= now_ns) others = step;
    double runnable = 0;
    for (std::uint32_t i = 0; i < jobs.size(); ++i) runnable += jobs[i].at_ns <= now_ns && left[i] > 0 ? 1 : 0;
    const double slowdown = std::max(1.0, (runnable + others.processes) / cores) + others.waited_per_cpu_ns;
    for (std::uint32_t i = 0; i < jobs.size(); ++i) {
      if (jobs[i].at_ns > now_ns || left[i] <= 0) continue;
      left[i] -= step_ns / slowdown;
      if (left[i] <= 0) ends[i] = now_ns + step_ns;
    }
  }
  return ends;
}

}  // namespace

TEST_CASE("other load: the load of the headers, less the computation's own processes, changes over time",
          "[parallelism]") {
  const auto others = [](int piece) { return piece < 50 ? 0 : 2; };
  const EventScript script = crowded(100, others);
  const auto loads = loads_of(script);
  REQUIRE(loads.size() == 1);
  CHECK(loads[0].evidence == LoadEvidence::load_average);
  CHECK(loads[0].cpu_s == Approx(1));
  // 0.5 s without others and 1.5 s with two.
  CHECK(loads[0].others == Approx(1.5).epsilon(.02));
  const Parallelism parallelism = with_other_load(script);
  CHECK(parallelism.delay_cpu.t_max_s == Approx(1));
  REQUIRE(parallelism.other_load);
  CHECK(parallelism.other_load->t_max_s == Approx(2).epsilon(.01));  // as long as it took
  CHECK(parallelism.other_load->t_max_s == Approx(parallelism.run.elapsed_s).epsilon(.01));
  CHECK(parallelism.other_load->P == Approx(.5).epsilon(.01));
  CHECK_THAT(warning_of_other_load(parallelism).value(), Catch::Contains("'red' (1.5"));
}

TEST_CASE("other load: a machine that did nothing else changes nothing", "[parallelism]") {
  const Parallelism alone = with_other_load(crowded(40, [](int) { return 0; }));
  REQUIRE(alone.other_load);
  CHECK(alone.other_load->t_max_s == alone.delay_cpu.t_max_s);
  CHECK_FALSE(warning_of_other_load(alone));
  EventScript unknown = crowded(40, [](int) { return 1; });
  for (Event& event : unknown.events) event.load = 0;
  CHECK_FALSE(with_other_load(unknown).other_load);
}

TEST_CASE("other load: two processes of the computation are not each other's other load", "[parallelism]") {
  EventScript script({"red"});
  script.info.properties.scripted = true;
  for (const char* name : {"a", "b"}) script.process(name, "red");
  for (const char* name : {"a", "b"}) script.other(name, 0, EventType::start_process);
  for (int piece = 1; piece <= 50; ++piece) {
    for (const char* name : {"a", "b"}) {  // each has half of the core
      script.at_ms(name, piece * 20 + (name[0] == 'b' ? 1 : 0));
      script.send(name, 10, name[0] == 'a' ? "b" : "a");
      script.events.back().load = 2;
    }
  }
  const auto loads = loads_of(script);
  REQUIRE(loads.size() == 1);
  CHECK(loads[0].others < .02);
}

TEST_CASE("other load: waits for programs outside count where the trace names them", "[parallelism]") {
  EventScript script = crowded(10, [](int) { return 3; });
  script.info.properties.scripted = false;
  std::uint64_t ready_ns = 0;
  for (Event& event : script.events) {
    if (event.type == EventType::send) ready_ns += 30'000'000;
    event.ready_time_ns = event.process.value == 0 ? ready_ns : 0;
  }
  const auto cause = [](ProcessId other, const char* name, double ms) {
    return WaitCause{{0}, WaitReason::cpu, other, name, static_cast<std::uint64_t>(ms * 1e6)};
  };
  script.info.wait_causes = {cause({}, "cc1plus", 60), cause({}, std::string(kIdleCpu).c_str(), 5), cause({1}, "", 20)};
  const auto loads = loads_of(script);
  REQUIRE(loads.size() == 1);
  CHECK(loads[0].evidence == LoadEvidence::run_queue_wait);
  CHECK(loads[0].ready_s == Approx(.3));
  CHECK(loads[0].ready_for_others_s == Approx(.06));
  const Parallelism parallelism = with_other_load(script);
  REQUIRE(parallelism.other_load);
  CHECK(parallelism.other_load->t_max_s == Approx(.16));
}

TEST_CASE("other load: a machine shared with others ends its work when small steps do", "[parallelism]") {
  Random random(15);
  for (int round = 0; round < 40; ++round) {
    OtherLoad load;
    double at_ns = 0;
    for (int step = 0; step < 6; ++step) {
      load.steps.push_back({at_ns, random.uniform(0, 4), round % 3 == 0 ? random.uniform(0, 2) : 0});
      at_ns += random.uniform(100, 4000);
    }
    std::vector<Job> jobs;
    at_ns = 0;
    for (int job = 0; job < 8; ++job) {
      jobs.push_back({at_ns, random.uniform(200, 3000)});
      at_ns += random.uniform(0, 2000);
    }
    const auto cores = static_cast<std::uint32_t>(1 + random.below(3));
    constexpr double kStepNs = .25;
    const auto exact = ends_by_machine(jobs, cores, load), stepped = ends_by_steps(jobs, cores, load, kStepNs);
    REQUIRE(exact.size() == jobs.size());
    for (const auto& [job, end_ns] : exact) {
      INFO("round " << round << ", job " << job);
      CHECK(stepped.at(job) == Approx(end_ns).margin(20 * kStepNs));
    }
  }
}

TEST_CASE("other load: parts of a trace together give what the whole gives, and long runs are thinned",
          "[parallelism]") {
  // Not in step with what is left out.
  EventScript script =
      crowded(3000, [](int piece) { return (static_cast<std::uint32_t>(piece) * 2654435761u >> 16) % 7 < 3 ? 1 : 0; });
  const std::size_t most = GENERATE(std::size_t{1} << 20, std::size_t{300});
  const auto whole = loads_of(script, most);
  OtherLoadBuilder first({}, most), second({}, most);
  for (OtherLoadBuilder* part : {&first, &second}) part->on_begin(script.info);
  for (const Event& event : script.events) (event.process.value == 0 ? first : second).on_events(std::span(&event, 1));
  ByteWriter out;
  first.give(out);
  const Bytes bytes = out.take();
  ByteReader in(bytes);
  second.take(in);
  second.on_end({});
  REQUIRE(second.machines().size() == whole.size());
  CHECK(second.machines()[0].others == whole[0].others);
  CHECK(second.machines()[0].cpu_s == whole[0].cpu_s);
  REQUIRE(second.machines()[0].over_time.steps.size() == whole[0].over_time.steps.size());
  // Three of seven pieces are beside another process, and take twice the time.
  CHECK(whole[0].others == Approx(6.0 / 10).epsilon(.25));
}
