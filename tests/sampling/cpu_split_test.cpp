// Which of the threads in letter R run: against a simulated CPU whose truth is known.
#include "sampling/states/cpu_split.hpp"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "model/random.hpp"
#include "sampling/states/throttling.hpp"
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
      runnable.push_back({before[i], now[i], kInterval_ns, static_cast<std::uint32_t>(i % processors), &credits[i]});
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
  std::array thread = {RunnableThread{{5, 7, 2}, {5, 7, 2}, kInterval_ns, 0, &credit}};
  for (int i = 0; i < 5; ++i) {
    split_cpu(thread);
    CHECK(thread[0].state == State::cpu_queue);
  }
}

TEST_CASE("cpu split: a thread that never had a turn is being created", "[sampling]") {
  CpuCredit credit;
  std::array thread = {RunnableThread{{}, {0, 0, 0}, kInterval_ns, 0, &credit}};
  split_cpu(thread);
  CHECK(thread[0].state == State::created);
}

// One CPU, on which `threads` threads of a cgroup with `quota_ms` of each `period_ms` always want to run, beside others that take
// `others` of the time that the quota leaves them. The kernel's counters move when a wait ends. Returns the share of samples in
// which a thread was throttled, and the truth.
std::pair<double, double> throttled_share(int threads, int quota_ms, int period_ms, double others, double sample_ms,
                                          int seconds, std::uint64_t seed) {
  Random random(seed);
  std::vector<CpuCounters> before(static_cast<std::size_t>(threads)), now(before.size());
  std::vector<double> waits_ms(before.size());
  std::vector<CpuCredit> credits(before.size());
  Throttling throttling;
  double used_ms = 0, lump_ms = 0, owed_ms = 0, truth_ms = 0, next_ms = sample_ms;
  std::uint64_t samples = 0, throttled = 0, last_ns = 0;
  for (int at_ms = 0; at_ms < seconds * 1000; ++at_ms) {
    if (at_ms % period_ms == 0) {
      used_ms = 0;
      owed_ms += std::exchange(lump_ms, 0);
    }
    const bool is_throttled = used_ms >= quota_ms;
    const bool runs = !is_throttled && static_cast<double>(random.below(1000)) >= others * 1000;
    const auto turn = static_cast<std::size_t>(at_ms / 4) % before.size();
    for (std::size_t t = 0; t < before.size(); ++t) {
      if (!runs || t != turn) {
        ++waits_ms[t];
        continue;
      }
      now[t].ran_ns += 1'000'000;
      now[t].waited_ns += static_cast<std::uint64_t>(std::exchange(waits_ms[t], 0) * 1e6);
      ++now[t].turns;
    }
    used_ms += runs;
    lump_ms += is_throttled;
    truth_ms += is_throttled;
    if (at_ms < next_ms) continue;
    next_ms += sample_ms * (.5 + static_cast<double>(random.below(1000)) / 1000);
    const std::uint64_t now_ns = static_cast<std::uint64_t>(at_ms) * 1'000'000;
    const std::uint64_t elapsed_ns = samples == 0 ? static_cast<std::uint64_t>(sample_ms * 1e6) : now_ns - last_ns;
    last_ns = now_ns;
    std::vector<RunnableThread> runnable;
    std::vector<RunnableThread*> own;
    for (std::size_t t = 0; t < before.size(); ++t) runnable.push_back({before[t], now[t], elapsed_ns, 0, &credits[t]});
    for (RunnableThread& thread : runnable) own.push_back(&thread);
    split_cpu(runnable);
    throttling.owe(static_cast<std::uint64_t>(std::exchange(owed_ms, 0) * 1e6), now_ns);
    throttling.split(own, elapsed_ns, now_ns);
    before = now;
    ++samples;
    throttled += runnable.front().state == State::throttled;
  }
  return {static_cast<double>(throttled) / static_cast<double>(samples), truth_ms / seconds / 1000};
}

TEST_CASE("throttling: samples are throttled for as long as the kernel counts, whatever the period and the interval",
          "[sampling]") {
  for (const int threads : {1, 3})
    for (const int period_ms : {100, 200, 500})
      for (const double quota : {.1, .25, .5})
        for (const double others : {0., .3})
          for (const double sample_ms : {5., 23., 123.}) {
            const auto [found, truth] = throttled_share(threads, static_cast<int>(quota * period_ms), period_ms, others,
                                                        sample_ms, 60, static_cast<std::uint64_t>(period_ms));
            INFO(threads << " threads, " << quota << " of " << period_ms << " ms, others " << others << ", each "
                         << sample_ms << " ms");
            // Of two samples in a period, split_cpu() finds some more that run.
            CHECK(found == Approx(truth).margin(2 * sample_ms > period_ms ? .04 : .02));
          }
}

TEST_CASE("throttling: without a quota that is used up, threads queue", "[sampling]") {
  CpuCredit credit;
  CpuCounters now{0, 0, 1};
  Throttling throttling;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    const CpuCounters before = now;
    now = {now.ran_ns + 20, now.waited_ns + 80, now.turns + 1};
    std::array thread = {RunnableThread{before, now, kInterval_ns, 0, &credit}};
    split_cpu(thread);
    throttling.owe(0, i * kInterval_ns);
    std::array own = {&thread[0]};
    throttling.split(own, kInterval_ns, i * kInterval_ns);
    CHECK(thread[0].state != State::throttled);
  }
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
    for (std::size_t t = 0; t < 2; ++t) threads[t] = {before[t], now[t], 2'000'000, 0, &credits[t]};
    split_cpu(threads);
    ran += (threads[0].state == State::cpu_run) + (threads[1].state == State::cpu_run);
    before = now;
  }
  CHECK(ran >= 1960);
}

}  // namespace
}  // namespace dpm::sampling
