// Semaphores of simulated processes: what is recorded, and that the parallelism of threads that use them is what a slow, obvious
// calculation finds.
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "analysis/messages/message_resolver.hpp"
#include "analysis/parallelism/parallelism.hpp"
#include "model/random.hpp"
#include "tests/backends/sim/sim_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::testing;

namespace {

System system_with(std::vector<SemaphoreDescription> semaphores, std::uint16_t cores = 1,
                   const DelayModel& delays = {}) {
  System system;
  system.scenario.delays = delays;
  system.scenario.semaphores = std::move(semaphores);
  system.machine("m");
  system.scenario.machines.back().cores = cores;
  return system;
}

// As the commands read a trace.
History history_of(const Collected& trace) {
  const auto pass_to = [&trace](EventSink& sink) {
    sink.on_begin(trace.info);
    sink.on_events(trace.events);
    sink.on_end(trace.losses);
  };
  MessageSurvey survey;
  pass_to(survey);
  HistoryBuilder builder;
  MessageResolver resolver(std::move(survey), builder);
  pass_to(resolver);
  return builder.take().value();
}

Parallelism parallelism_of(const Outcome& outcome) {
  const History history = history_of(outcome.seen);
  CHECK(history.warnings.empty());
  return measure_parallelism(history, traced_target(history)).value();
}

// Every event of the trace in seconds of CPU time from the beginning of the longest path to it: relaxed until nothing changes.
double longest_path_s(const Collected& trace) {
  std::vector<std::int64_t> at_ns(trace.events.size());
  for (bool changes = true; changes;) {
    changes = false;
    std::map<std::uint32_t, std::size_t> before;                           // of each process
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> gives;  // by channel and unit
    for (std::size_t i = 0; i < trace.events.size(); ++i)
      if (trace.events[i].type == EventType::send) gives[{trace.events[i].channel.value, trace.events[i].sequence}] = i;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      const Event& event = trace.events[i];
      std::int64_t ns = static_cast<std::int64_t>(event.proc_time_ns);
      if (const auto last = before.find(event.process.value); last != before.end())
        ns = at_ns[last->second] +
             static_cast<std::int64_t>(event.proc_time_ns - trace.events[last->second].proc_time_ns);
      if (event.type == EventType::receive) ns = std::max(ns, at_ns[gives.at({event.channel.value, event.sequence})]);
      changes |= ns != at_ns[i];
      at_ns[i] = ns;
      before[event.process.value] = i;
    }
  }
  return static_cast<double>(*std::max_element(at_ns.begin(), at_ns.end())) * 1e-9;
}

struct Operation {
  enum class Kind { compute, take, give } kind = Kind::compute;
  std::int64_t work_ns = 0;
  std::string semaphore = {};
};
using Thread = std::vector<Operation>;

Operation compute(Random& random) {
  return {Operation::Kind::compute, static_cast<std::int64_t>(10'000 + random.below(5'000'000))};
}

std::string queue_of(std::size_t thread) { return "queue" + std::to_string(thread); }

// Each holds one lock at a time, and takes from its queue only what threads before it put there: all end.
std::vector<Thread> random_threads(Random& random, std::size_t locks) {
  std::vector<Thread> threads(2 + random.below(6));
  for (std::size_t i = 0; i < threads.size(); ++i) {
    Thread& thread = threads[i];
    for (std::size_t before = 0; before < i; ++before) {
      if (!random.chance(.3)) continue;
      Thread& giver = threads[before];
      const auto place = static_cast<std::ptrdiff_t>(random.below(giver.size() + 1));
      giver.insert(giver.begin() + place, {Operation::Kind::give, 0, queue_of(i)});
      thread.push_back({Operation::Kind::take, 0, queue_of(i)});
      thread.push_back(compute(random));
    }
    for (std::uint64_t section = 0; section < 12; ++section) {
      const std::string lock = "lock" + std::to_string(random.below(locks));
      thread.push_back(compute(random));
      thread.push_back({Operation::Kind::take, 0, lock});
      thread.push_back(compute(random));
      thread.push_back({Operation::Kind::give, 0, lock});
    }
  }
  return threads;
}

Program program_of(Thread thread) {
  return [thread = std::move(thread)](MessageCalls& calls) {
    for (const Operation& operation : thread) {
      if (operation.kind == Operation::Kind::compute) calls.compute(Duration{operation.work_ns});
      if (operation.kind == Operation::Kind::take) calls.take_unit(operation.semaphore);
      if (operation.kind == Operation::Kind::give) calls.give_unit(operation.semaphore);
    }
  };
}

std::string name_of_thread(std::size_t number) { return "thread" + std::to_string(number); }

Program token_user(int laps, const std::function<void(MessageCalls&)>& take,
                   const std::function<void(MessageCalls&)>& pass) {
  return [=](MessageCalls& calls) {
    for (int lap = 0; lap < laps; ++lap) {
      take(calls);
      calls.compute(milliseconds(2));
      pass(calls);
      calls.compute(milliseconds(3));
    }
  };
}

constexpr int kLaps = 20, kMembers = 4;

// Of four, in which a token goes round.
Outcome ring_over_semaphores(const DelayModel& delays) {
  System system = system_with({}, 3, delays);
  const auto slot = [](int member) { return "slot" + std::to_string(member % kMembers); };
  for (int i = 0; i < kMembers; ++i) system.scenario.semaphores.push_back({slot(i), 0});
  for (int i = 0; i < kMembers; ++i) {
    const auto pass = [=](MessageCalls& calls) { calls.give_unit(slot(i + 1)); };
    const Program user = token_user(
        kLaps, [=](MessageCalls& calls) { calls.take_unit(slot(i)); }, pass);
    system.process(name_of_thread(static_cast<std::size_t>(i)), "m", {}, [=](MessageCalls& calls) {
      if (i == kMembers - 1) pass(calls);
      user(calls);
    });
  }
  return system.run();
}

Outcome ring_over_messages(const DelayModel& delays) {
  System system = system_with({}, 3, delays);
  for (int i = 0; i < kMembers; ++i) {
    const std::string next = name_of_thread(static_cast<std::size_t>((i + 1) % kMembers));
    const auto pass = [=](MessageCalls& calls) { calls.send_message(calls.link_to(next), message_of(1, 1)); };
    const Program user = token_user(
        kLaps, [](MessageCalls& calls) { calls.receive_message(); }, pass);
    system.process(name_of_thread(static_cast<std::size_t>(i)), "m", {next}, [=](MessageCalls& calls) {
      if (i == kMembers - 1) pass(calls);
      user(calls);
    });
  }
  return system.run();
}

}  // namespace

TEST_CASE("sim: a V is a SEND of a unit and a P its RECEIVE, but for the units of the beginning", "[sim]") {
  System system = system_with({{"lock", 1}}, 2);
  for (const char* name : {"a", "b"})
    system.process(name, "m", {}, [=](MessageCalls& calls) {
      if (*name == 'b') calls.compute(milliseconds(1));
      calls.take_unit("lock");
      calls.compute(milliseconds(5));
      calls.give_unit("lock");
    });
  const Outcome outcome = system.run();
  REQUIRE(outcome.error.empty());
  CHECK(outcome.history_of("a") == "STARTPROCESS SEND DESTROYPROCESS");
  CHECK(outcome.history_of("b") == "STARTPROCESS RECEIVECALL RECEIVE SEND DESTROYPROCESS");
  const Event sent = outcome.of("a", EventType::send).front(), received = outcome.of("b", EventType::receive).front();
  CHECK(outcome.seen.info[sent.channel].medium == ChannelMedium::memory);
  CHECK(received.channel == sent.channel);
  CHECK(received.sequence == sent.sequence);
  CHECK(received.local_time == sent.local_time);

  const History history = history_of(outcome.seen);
  CHECK(history.info[ProcessId{history.of(ProcessId{0})[1].peer}].name == "b");
  CHECK(parallelism_of(outcome).no_delay.P == Approx(11.0 / 10));
}

TEST_CASE("sim: the process that has waited longest takes the next unit", "[sim]") {
  System system = system_with({{"queue", 0}}, 4);
  for (const int ms : {3, 1, 2})
    system.process("taker" + std::to_string(ms), "m", {}, [=](MessageCalls& calls) {
      calls.compute(milliseconds(ms));
      calls.take_unit("queue");
    });
  system.process("giver", "m", {}, [](MessageCalls& calls) {
    for (int i = 0; i < 3; ++i) calls.compute(milliseconds(5)), calls.give_unit("queue");
  });
  const Outcome outcome = system.run();
  for (const int ms : {1, 2, 3}) {
    const auto taken = outcome.of("taker" + std::to_string(ms), EventType::receive);
    REQUIRE(taken.size() == 1);
    CHECK(taken.front().sequence == static_cast<std::uint64_t>(ms - 1));
  }
}

TEST_CASE("sim: a semaphore belongs to the machine of its users, and to the scenario", "[sim]") {
  System system = system_with({{"lock", 1}});
  system.machine("other");
  system.process("a", "m", {}, [](MessageCalls& calls) { calls.take_unit("lock"); });
  system.process("b", "other", {}, [](MessageCalls& calls) { calls.take_unit("lock"); });
  CHECK(system.run().error.find("semaphore 'lock' is in the memory of machine 'm'") != std::string::npos);

  System unknown = system_with({});
  unknown.process("a", "m", {}, [](MessageCalls& calls) { calls.give_unit("lok"); });
  CHECK(unknown.run().error.find("no semaphore 'lok'") != std::string::npos);
}

TEST_CASE("sim: a process that waits for a unit that never comes is in a deadlock", "[sim]") {
  System system = system_with({{"lock", 1}});
  system.process("a", "m", {}, [](MessageCalls& calls) {
    calls.take_unit("lock");
    calls.take_unit("lock");
  });
  const Outcome outcome = system.run();
  CHECK(outcome.truth.deadlocked);
  CHECK(outcome.truth_of("a").final_state == "waits for semaphore 'lock'");
}

TEST_CASE("sim: a ring of threads over semaphores is as parallel as over messages", "[sim]") {
  for (const DelayModel& delays : {DelayModel(), DelayModel::demos_vax()}) {
    const Outcome semaphores = ring_over_semaphores(delays), messages = ring_over_messages(delays);
    REQUIRE(semaphores.error.empty());
    CHECK(semaphores.truth.makespan == messages.truth.makespan);
    const Parallelism over_memory = parallelism_of(semaphores), over_messages = parallelism_of(messages);
    CHECK(over_memory.no_delay.P == over_messages.no_delay.P);
    CHECK(over_memory.delay.P == over_messages.delay.P);
    CHECK(over_memory.delay_cpu.P == over_messages.delay_cpu.P);
    CHECK(over_memory.no_delay.P > 2);
  }
}

TEST_CASE("sim: random systems with semaphores have the parallelism of their longest path", "[sim]") {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    const std::size_t locks = 1 + random.below(3);
    const auto threads = random_threads(random, locks);
    const bool has_core_each = random.chance(.5);
    const auto cores = static_cast<std::uint16_t>(has_core_each ? threads.size() : 1 + random.below(3));
    System system = system_with({}, cores);
    for (std::size_t i = 0; i < threads.size(); ++i) system.scenario.semaphores.push_back({queue_of(i), 0});
    for (std::size_t i = 0; i < locks; ++i)
      system.scenario.semaphores.push_back({"lock" + std::to_string(i), 1 + random.below(2)});
    for (std::size_t i = 0; i < threads.size(); ++i) system.process(name_of_thread(i), "m", {}, program_of(threads[i]));
    const Outcome outcome = system.run();
    REQUIRE(outcome.error.empty());
    REQUIRE_FALSE(outcome.truth.deadlocked);

    const Parallelism found = parallelism_of(outcome);
    const double path_s = longest_path_s(outcome.seen);
    CHECK(found.no_delay.t_max_s == Approx(path_s).epsilon(1e-12));
    CHECK(found.no_delay.P == Approx(static_cast<double>(outcome.truth.total_cpu_ns) * 1e-9 / path_s).epsilon(1e-12));
    CHECK(found.delay_cpu.t_max_s == Approx(outcome.truth.makespan.seconds()).epsilon(1e-6));
    if (has_core_each) CHECK(path_s == Approx(outcome.truth.makespan.seconds()).epsilon(1e-6));
  }
}
