// links: dpm_prediction
// What the history and its analyses cost an event, and whether that stays so when there are ten and a hundred times as
// many.
// Goals on the machine the founders had: building 10^7 events in a few seconds; steps one and two <= 30 ns an event,
// the replay <= 200; ten times the events take at most 12 times as long; 24 bytes an event; 1000 placements a second of
// 10^4 events.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"
#include "analysis/parallelism/longest_path.hpp"
#include "analysis/parallelism/thesis1984.hpp"
#include "analysis/prediction/search.hpp"
#include "bench/synthetic_events.hpp"

namespace {

using namespace dpm;

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The minimum of a few: other load on the machine only adds time.
double least_seconds(std::uint64_t events, const std::function<void()>& work) {
  double least = seconds(work);
  for (int again = 0; again < (events > 5'000'000 ? 1 : 4); ++again) least = std::min(least, seconds(work));
  return least;
}

double status_megabytes(const char* field) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  char line[256];
  double kilobytes = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, field, std::strlen(field)) == 0) kilobytes = std::atof(line + std::strlen(field));
  }
  std::fclose(file);
  return kilobytes / 1024;
}

History built(std::uint64_t events, std::uint32_t servers, std::uint32_t clients, std::uint16_t machines) {
  HistoryBuilder builder;
  (void)SyntheticEvents(events, servers, clients, machines).run(builder);
  return builder.take().value();
}

struct Row {
  const char* name;
  std::vector<double> ns;  // an event, by size
};

void compare_sizes(std::uint32_t servers, std::uint32_t clients, std::uint16_t machines) {
  const std::vector<std::uint64_t> sizes = {100'000, 1'000'000, 10'000'000};
  std::vector<Row> rows = {{"build", {}},      {"no delays", {}},        {"delays", {}},
                           {"thesis1984", {}}, {"replay, recorded", {}}, {"replay, arrival", {}}};
  for (const std::uint64_t events : sizes) {
    History history;
    const double build_s = seconds([&] { history = built(events, servers, clients, machines); });
    const auto count = static_cast<double>(history.events.size());
    if (events == sizes.back()) {
      std::printf(
          "%.0f events built in %.2f s (the generator included); %.1f bytes an event in the graph; %.0f MB resident, "
          "%.0f MB at most so far\n",
          count, build_s, static_cast<double>(history.events.capacity() * sizeof(HistoryEvent)) / count,
          status_megabytes("VmRSS:"), status_megabytes("VmHWM:"));
    }
    const Target target = traced_target(history);
    MessageCosts costs(history, target);
    Replay replay(history, target);
    const std::vector<std::function<void()>> works = {
        [&] { longest_path(history, costs, MessageDelays::none); },
        [&] { longest_path(history, costs, MessageDelays::target); },
        [&] { thesis1984_path(history, costs); },
        [&] { replay.run(Order::recorded, target.machine_of); },
        [&] { replay.run(Order::arrival, target.machine_of); },
    };
    rows[0].ns.push_back(build_s * 1e9 / count);
    for (std::size_t i = 0; i < works.size(); ++i) {
      rows[i + 1].ns.push_back(least_seconds(events, works[i]) * 1e9 / count);
    }
  }
  std::printf("%u processes on %u machines: ns an event at 10^5, 10^6, 10^7 events, and time(10x) / time(1x)\n",
              servers + clients, machines);
  for (const Row& row : rows) {
    std::printf("  %-18s", row.name);
    for (const double ns : row.ns) std::printf(" %7.1f", ns);
    for (std::size_t i = 1; i < row.ns.size(); ++i) std::printf("  x%.1f", 10 * row.ns[i] / row.ns[i - 1]);
    std::printf("\n");
  }
}

void count_placements() {
  const History history = built(10'000, 5, 7, 7);
  const Target target = traced_target(history);
  Replay replay(history, target);
  Random random(1);
  for (const Order order : {Order::recorded, Order::arrival}) {
    constexpr int kPlacements = 1000;
    const double s = seconds([&] {
      for (int i = 0; i < kPlacements; ++i) {
        auto machine_of = target.machine_of;
        for (auto& machine : machine_of) machine = {static_cast<std::uint16_t>(random.below(7))};
        replay.run(order, machine_of);
      }
    });
    std::printf("%zu events, %s order: %.0f placements a second\n", history.events.size(),
                order == Order::recorded ? "recorded" : "arrival", kPlacements / s);
  }
  SearchOptions options;
  options.exhaustive_limit = 0;
  options.evaluations = 2000;
  SearchResult found;
  const double s = seconds([&] { found = search(history, target, options).value(); });
  std::printf("search: %.0f placements a second; best %.3f s, traced %.3f s, at most %.1f %% above the optimum\n",
              static_cast<double>(found.evaluated) / s, found.candidates.front().elapsed_s, found.base.elapsed_s,
              100 * found.regret_bound);
}

}  // namespace

int main() {
  count_placements();
  compare_sizes(4, 8, 7);
  compare_sizes(100, 1000, 100);
  return 0;
}
