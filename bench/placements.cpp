// links: dpm_prediction
// How fast placements are predicted: replays of a trace of 10 000 events, against the least that could be done with it,
// one pass over its graph in memory and one longest path without sharing of processors. Goal: 1000 placements a second
// on one core.
#include <cstdio>
#include <ctime>
#include <string>

#include "analysis/history/replay.hpp"
#include "analysis/parallelism/longest_path.hpp"
#include "analysis/prediction/what_if.hpp"
#include "bench/measure.hpp"
#include "bench/synthetic_events.hpp"

namespace {

using namespace dpm;

constexpr std::uint64_t kPlacements = 300;  // of one turn

History built(std::uint64_t events, std::uint32_t servers, std::uint32_t clients, std::uint16_t machines) {
  HistoryBuilder builder;
  (void)SyntheticEvents(events, servers, clients, machines).run(builder);
  return builder.take().value();
}

std::vector<std::vector<MachineId>> random_placements(const Target& target) {
  Random random(1);
  std::vector<std::vector<MachineId>> placements;
  for (std::uint64_t i = 0; i < kPlacements; ++i) {
    placements.push_back(target.machine_of);
    for (auto& machine : placements.back())
      machine = {static_cast<std::uint16_t>(random.below(target.machines.size()))};
  }
  return placements;
}

void compare(const char* what, const History& history, const Target& target, Order order) {
  const auto placements = random_placements(target);
  Replay replay(history, target);
  MessageCosts costs(history, target);
  double sum = 0;  // so that nothing is left out
  const auto replays = [&] {
    for (const auto& places : placements) sum += replay.run(order, places).elapsed_ns;
  };
  const auto paths = [&] {
    for (const auto& places : placements) {
      costs.move(places);
      sum += static_cast<double>(longest_path(history, costs, MessageDelays::target).t_max_ns);
    }
  };
  const auto passes = [&] {
    for (std::uint64_t i = 0; i < kPlacements; ++i)
      for (const HistoryEvent& event : history.events) sum += static_cast<double>(event.cpu_ns + event.match);
  };
  // CPU time, the minimum of a few: other load on the machine is not included.
  const auto cpu_seconds = [&] {
    const std::clock_t start = std::clock();
    replays();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  double least_s = cpu_seconds();
  for (int again = 0; again < 6; ++again) least_s = std::min(least_s, cpu_seconds());
  std::printf("%s: %.0f placements a second of CPU time (goal 1000)\n", what,
              static_cast<double>(kPlacements) / least_s);
  const std::uint64_t events = kPlacements * history.events.size();
  print_ratio(what, Way{"replays", replays}, Way{"longest paths", paths}, events, "event");
  print_ratio(what, Way{"replays", replays}, Way{"passes over memory", passes}, events, "event");
  if (sum == 0) std::printf("nothing was replayed\n");
}

}  // namespace

int main() {
  const History history = built(10'000, 5, 7, 7);
  const Target target = traced_target(history);
  compare("recorded order", history, target, Order::recorded);
  compare("arrival order", history, target, Order::arrival);
  Target changed = target;
  changed.process_speed.assign(history.process_count(), 1);
  changed.process_speed[0] = 2;
  changed.links.push_back({0, 1, .5});
  compare("arrival order, with a faster process and a faster link", history, changed, Order::arrival);
  const History many = built(10'000, 10, 100, 20);
  compare("arrival order, 110 processes", many, traced_target(many), Order::arrival);
  return 0;
}
