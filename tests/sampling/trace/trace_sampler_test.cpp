// Samples of recorded computations: by hand, and of simulated systems, whose truth is known.
#include "sampling/trace/trace_sampler.hpp"

#include <array>
#include <cmath>

#include "model/random.hpp"
#include "model/share.hpp"
#include "tests/backends/sim/sim_fixture.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sampling {
namespace {

using testing::milliseconds;

struct Recorded {
  std::vector<Event> events;
  std::vector<std::int64_t> times_ns;
  TraceInfo info;

  Event& add(std::uint32_t process, std::int64_t time_ns, EventType type, std::uint64_t cpu_ns = 0,
             std::uint64_t ready_ns = 0, std::uint64_t disk_ns = 0) {
    if (info.processes.size() <= process) info.processes.resize(process + 1);
    Event event;
    event.process.value = process;
    event.type = type;
    event.proc_time_ns = cpu_ns;
    event.ready_time_ns = ready_ns;
    event.disk_time_ns = disk_ns;
    events.push_back(event);
    times_ns.push_back(time_ns);
    return events.back();
  }
  StateHistory history() const { return {events, times_ns, info}; }
};

CountArray sampled(const StateHistory& history, std::uint64_t interval_ns, std::uint64_t seed = 1) {
  CountArray counts({.source = std::string(kTraceSource), .interval_ns = interval_ns});
  sample_history(history, interval_ns, seed, counts);
  return counts;
}

std::uint64_t found(const LevelCounts& counts, State state) { return counts.states[static_cast<std::size_t>(state)]; }

// How long processes were in each state.
std::array<std::int64_t, kStates> exact_ns_of(const StateHistory& history) {
  std::array<std::int64_t, kStates> sums = {};
  for (const auto& stretches : history.stretches()) {
    for (const Stretch& stretch : stretches) {
      sums[static_cast<std::size_t>(State::cpu_run)] += stretch.cpu_ns;
      sums[static_cast<std::size_t>(State::cpu_queue)] += stretch.ready_ns;
      sums[static_cast<std::size_t>(State::disk_io)] += stretch.disk_ns;
      sums[static_cast<std::size_t>(stretch.idle_state)] +=
          stretch.to_ns - stretch.from_ns - stretch.cpu_ns - stretch.ready_ns - stretch.disk_ns;
    }
  }
  return sums;
}

TEST_CASE("trace samples: each state of a history by hand is known and found", "[sampling]") {
  Recorded trace;
  trace.add(0, 0, EventType::create_process).peer.value = 1;
  trace.add(1, 100, EventType::start_process);
  trace.add(1, 200, EventType::receive_call, 100);   // it ran from 100 to 200
  trace.add(1, 500, EventType::receive, 150, 50);    // waited to 400, then ran and was ready
  trace.add(1, 600, EventType::send, 150, 50, 100);  // waited for the disk
  trace.add(1, 700, EventType::wait, 150, 50, 100).code = static_cast<std::uint32_t>(WaitKind::process_end);
  trace.add(1, 710, EventType::stop_process, 160, 50, 100);
  trace.add(1, 800, EventType::start_process, 160, 50, 100);
  trace.add(0, 1000, EventType::destroy_process);  // a timer, for all its life
  const StateHistory history = trace.history();
  CHECK(history.is_measured());
  const auto exact = exact_ns_of(history);
  const auto expects = [&](State state, std::int64_t ns) {
    INFO(info_of(state).name);
    CHECK(exact[static_cast<std::size_t>(state)] == ns);
  };
  expects(State::created, 100);
  expects(State::cpu_run, 160);
  expects(State::cpu_queue, 50);
  expects(State::message_queue, 200);
  expects(State::disk_io, 100);
  expects(State::child, 100);
  expects(State::stopped, 90);
  expects(State::sleep, 1000);
  const LevelCounts each = sampled(history, 1).total();
  CHECK(each.samples == 999);
  for (const State state : {State::created, State::message_queue, State::disk_io, State::child, State::stopped})
    CHECK(std::abs(static_cast<double>(found(each, state)) -
                   static_cast<double>(exact[static_cast<std::size_t>(state)])) <= 1);
  CHECK(each.ran_ns == 160);
  CHECK(each.waited_ns == 50);
  CHECK(found(each, State::cpu_run) + found(each, State::cpu_queue) == 210);
}

TEST_CASE("trace samples: an empty trace, one event, and a trace without times of waiting", "[sampling]") {
  Recorded trace;
  CHECK(sampled(trace.history(), 10).total().samples == 0);
  trace.add(0, 5, EventType::send);
  CHECK(sampled(trace.history(), 10).total().samples == 0);
  trace.add(0, 50, EventType::send).ready_time_ns = kNotMeasured;
  CHECK_FALSE(trace.history().is_measured());
}

// A server that computes and sleeps for random times between requests, beside a program that takes its CPU now and then.
testing::Outcome simulated_server() {
  const auto random_times = [](std::uint64_t seed, auto body) {
    return [=](MessageCalls& calls) {
      Random random(seed);
      body(calls,
           [&](double mean_ms) { return Duration{static_cast<std::int64_t>(random.exponential(mean_ms) * 1e6)}; });
    };
  };
  testing::System system;
  system.machine("red").machine("green");
  system.process("client", "red", {"server"}, random_times(1, [](MessageCalls& calls, auto ms) {
                   for (int i = 0; i < 3000; ++i) {
                     calls.sleep(ms(30));
                     calls.send_message(calls.link_to("server"), testing::message_of(1));
                     calls.receive_message();
                   }
                 }));
  system.service("server", "green", {"client"}, random_times(2, [](MessageCalls& calls, auto ms) {
                   for (;;) {
                     calls.receive_message();
                     calls.compute(ms(20));
                     calls.sleep(ms(10));
                     calls.send_message(calls.link_to("client"), testing::message_of(2));
                   }
                 }));
  system.service("hog", "green", {}, random_times(3, [](MessageCalls& calls, auto ms) {
                   for (;;) {
                     calls.compute(ms(20));
                     calls.sleep(ms(20));
                   }
                 }));
  return system.run();
}

TEST_CASE(
    "trace samples: of a simulated server, the truth is within the binomial interval in 95 of 100 runs, and the "
    "error falls with the root of the number of samples",
    "[sampling]") {
  const auto outcome = simulated_server();
  REQUIRE(outcome.error == "");
  const ProcessId server = outcome.of("server", EventType::receive).at(0).process;
  Recorded own;
  own.info = outcome.seen.info;
  for (const Event& event : outcome.seen.events)
    if (event.process == server) {
      own.events.push_back(event);
      own.times_ns.push_back(event.local_time.ns);
    }
  const StateHistory history = own.history();
  const auto whole_ns = static_cast<double>(history.to_ns() - history.from_ns());
  const auto exact_ns = exact_ns_of(history);
  // The simulator's own account of the same process.
  const ProcessTruth& truth = outcome.truth_of("server");
  CHECK(static_cast<double>(exact_ns[0]) == Approx(static_cast<double>(truth.cpu_time_ns)).epsilon(.01));
  CHECK(static_cast<double>(exact_ns[1]) == Approx(static_cast<double>(truth.ready_time_ns)).epsilon(.01));

  Random random(4);
  int covered = 0, asked = 0;
  double squares_few = 0, squares_many = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    const double interval_ns = random.uniform(.9, 1.1) * whole_ns / 400;
    for (const int more : {1, 4}) {
      const LevelCounts counts = sampled(history, static_cast<std::uint64_t>(interval_ns / more), run).total();
      for (const State state : {State::cpu_run, State::cpu_queue, State::sleep, State::message_queue}) {
        const double exact = static_cast<double>(exact_ns[static_cast<std::size_t>(state)]) / whole_ns;
        const Share share = share_of(found(counts, state), counts.samples);
        (more == 1 ? squares_few : squares_many) += (share.value - exact) * (share.value - exact);
        ++asked;
        covered += share.low <= exact && exact <= share.high;
      }
    }
  }
  INFO(covered << " of " << asked);
  CHECK(covered >= asked * .935);
  const double ratio = std::sqrt(squares_few / squares_many);
  INFO("error with a quarter of the samples: " << ratio << " times as large");
  CHECK(ratio > 1.6);
  CHECK(ratio < 2.5);
}

}  // namespace
}  // namespace dpm::sampling
