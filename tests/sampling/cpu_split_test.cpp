// Which of the threads in letter R run: against a simulated CPU whose truth is known.
#include "sampling/states/cpu_split.hpp"

#include <array>
#include <cmath>

#include "model/random.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sampling {
namespace {

constexpr std::uint64_t kInterval_ns = 100'000'000;

// `threads` always runnable threads on `processors` CPUs share them by `weights`; returns how often each was found running.
std::vector<double> shares_found(const std::vector<double>& weights, std::uint32_t processors, int samples) {
  const std::size_t threads = weights.size();
  std::vector<CpuCounters> before(threads), now(threads);
  std::vector<CpuCredit> credits(threads);
  std::vector<double> found(threads);
  for (int sample = 0; sample < samples; ++sample) {
    std::vector<RunnableThread> runnable;
    for (std::size_t i = 0; i < threads; ++i) {
      now[i].ran_ns += static_cast<std::uint64_t>(weights[i] * 1e8);
      now[i].waited_ns += static_cast<std::uint64_t>((1 - weights[i]) * 1e8);
      ++now[i].turns;
      runnable.push_back({before[i], now[i], kInterval_ns, static_cast<std::uint32_t>(i % processors), 0, &credits[i]});
    }
    split_cpu(runnable);
    std::vector<int> running(processors);
    for (std::size_t i = 0; i < threads; ++i) {
      if (runnable[i].state != State::cpu_run) continue;
      found[i] += 1. / samples;
      REQUIRE(++running[i % processors] == 1);
    }
    before = now;
  }
  return found;
}

TEST_CASE("cpu split: samples have the shares of the scheduler's counters, and one thread runs on a CPU",
          "[sampling]") {
  for (const auto& weights : std::vector<std::vector<double>>{
           {1}, {.5, .5}, {.9, .1}, {1. / 3, 1. / 3, 1. / 3}, {.05, .45, .5}, {.2, .1}, {0, 1}}) {
    const auto found = shares_found(weights, 1, 1000);
    for (std::size_t i = 0; i < weights.size(); ++i) CHECK(std::abs(found[i] - weights[i]) < .01);
  }
  const auto two = shares_found({.7, .4, .3, .6}, 2, 1000);
  CHECK(std::abs(two[0] - .7) < .01);
  CHECK(std::abs(two[3] - .6) < .01);
}

TEST_CASE("cpu split: counters that stand still are a thread that queues", "[sampling]") {
  CpuCredit credit;
  std::array thread = {RunnableThread{{5, 7, 2}, {5, 7, 2}, kInterval_ns, 0, 0, &credit}};
  for (int i = 0; i < 5; ++i) {
    split_cpu(thread);
    CHECK(thread[0].state == State::cpu_queue);
  }
}

TEST_CASE("cpu split: a thread that never had a turn is being created", "[sampling]") {
  CpuCredit credit;
  std::array thread = {RunnableThread{{}, {0, 0, 0}, kInterval_ns, 0, 0, &credit}};
  split_cpu(thread);
  CHECK(thread[0].state == State::created);
}

TEST_CASE("cpu split: waiting for a quota is throttled by its share", "[sampling]") {
  CpuCredit credit;
  int throttled = 0, ran = 0;
  CpuCounters now;
  for (int i = 0; i < 1000; ++i) {
    const CpuCounters before = now;
    now = {now.ran_ns + 200, now.waited_ns + 800, now.turns + 1};
    std::array thread = {RunnableThread{before, now, kInterval_ns, 0, .75, &credit}};
    split_cpu(thread);
    throttled += thread[0].state == State::throttled;
    ran += thread[0].state == State::cpu_run;
  }
  CHECK(std::abs(ran - 200) <= 2);
  CHECK(std::abs(throttled - 600) <= 2);
}

TEST_CASE("cpu split: intervals shorter than a tick of the kernel keep the shares", "[sampling]") {
  // Two threads in slices of 4 ms, looked at each 2 ms; the counters move at the end of a slice only.
  std::array<CpuCounters, 2> before = {}, now = {};
  std::array<CpuCredit, 2> credits;
  int ran = 0;
  for (int i = 0; i < 2000; ++i) {
    if (i % 2 == 1) {
      const std::size_t runs = static_cast<std::size_t>(i / 2 % 2);
      now[runs].ran_ns += 4'000'000;
      now[1 - runs].waited_ns += 4'000'000;
    }
    std::array<RunnableThread, 2> threads;
    for (std::size_t t = 0; t < 2; ++t) threads[t] = {before[t], now[t], 2'000'000, 0, 0, &credits[t]};
    split_cpu(threads);
    ran += (threads[0].state == State::cpu_run) + (threads[1].state == State::cpu_run);
    before = now;
  }
  CHECK(ran >= 1960);
}

}  // namespace
}  // namespace dpm::sampling
