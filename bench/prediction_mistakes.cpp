// links: dpm_claim_program dpm_sim dpm_scenarios dpm_prediction
// What moves the numbers of a prediction most: the table of docs/prediction.md. The file system with seven users is
// traced in three placements, something that the predictor is told is made wrong, and what it says of the other two
// placements is compared with simulations of them. In all but the last lines the buffer manager has no cache
// (`oblivious`), for then nothing else is wrong and a line shows what one mistake does alone.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "validation/common/traced_run.hpp"

namespace {

using namespace dpm;
using validation::TracedRun;

using Settings = std::map<std::string, double>;
using Change = std::function<void(Scenario&)>;  // of the system
using Mistake = std::function<void(History&)>;  // of what is known about it

constexpr std::uint64_t kSeeds = 5;
constexpr double kMessageCpuShare = .15;  // of a message's delivery time, at each end

PiecewiseLinear times(const PiecewiseLinear& line, double factor) {
  auto points = line.points();
  for (auto& point : points) point.second *= factor;
  return points.empty() ? line : PiecewiseLinear::through(std::move(points)).value();
}

void for_each_class(DelayModel& delays, const std::function<void(DelayClass&)>& change) {
  change(delays.local);
  change(delays.remote);
  for (auto& pair : delays.pairs) change(pair.delays);
}

void make_messages_cost_cpu(Scenario& scenario) {
  for_each_class(scenario.delays, [](DelayClass& delays) {
    delays.sender_cpu_s = delays.receiver_cpu_s = times(delays.delivery_s, kMessageCpuShare);
  });
}

void forget_cpu_of_messages(History& history) {
  for_each_class(history.info.delays, [](DelayClass& delays) { delays.sender_cpu_s = delays.receiver_cpu_s = {}; });
}

Mistake delays_times(double factor) {
  return [factor](History& history) {
    for_each_class(history.info.delays,
                   [factor](DelayClass& delays) { delays.delivery_s = times(delays.delivery_s, factor); });
  };
}

// A process's CPU time is known in whole ticks, as of a clock that counts them.
Mistake ticks_of(double tick_s) {
  return [tick_ns = static_cast<std::uint64_t>(tick_s * 1e9)](History& history) {
    for (std::uint32_t p = 0; p < history.process_count(); ++p) {
      std::uint64_t used_ns = 0, counted_ns = 0;
      for (std::uint32_t e = history.first_event[p]; e < history.first_event[p + 1]; ++e) {
        used_ns += history.events[e].cpu_ns;
        const std::uint64_t now_ns = used_ns / tick_ns * tick_ns;
        history.events[e].cpu_ns = now_ns - counted_ns;
        counted_ns = now_ns;
      }
    }
  };
}

void measure(const char* what, const Settings& parameters, const Mistake& mistake, const Change& change = {}) {
  static const ScenarioFile file = validation::shipped_scenario(validation::scenarios_folder() / "file-system");
  double sum = 0, worst = 0;
  std::uint64_t cells = 0, messages = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::vector<TracedRun> runs;
    for (const char* placement : {"A", "B", "C"}) {
      Scenario scenario = validation::instance(file, placement, parameters, seed);
      if (change) change(scenario);
      runs.emplace_back(std::move(scenario));
    }
    for (TracedRun& traced : runs) {
      if (mistake) mistake(traced.history);
      for (const TracedRun& other : runs) {
        if (&traced == &other) continue;
        const double error = std::fabs(traced.predict(other.scenario).P / other.P() - 1);
        sum += error;
        worst = std::max(worst, error);
        messages += traced.truth.messages_delivered;
        ++cells;
      }
    }
  }
  std::printf("%-66s mean %6.3f %%, worst %6.3f %% (%.0f messages)\n", what, 100 * sum / static_cast<double>(cells),
              100 * worst, static_cast<double>(messages) / static_cast<double>(cells));
}

}  // namespace

int main() {
  const Settings stateless = {{"users", 7}, {"oblivious", 1}};
  measure("nothing is wrong", stateless, {});
  measure("messages cost CPU (30 % of their delay), delay model does not say so", stateless, forget_cpu_of_messages,
          make_messages_cost_cpu);
  measure("... and it does", stateless, {}, make_messages_cost_cpu);
  measure("delays 10 % too high", stateless, delays_times(1.1));
  measure("delays 10 % too low", stateless, delays_times(.9));
  measure("CPU time counted in ticks of 1/60 s", stateless, ticks_of(1. / 60));
  measure("... of 10 ms", stateless, ticks_of(.010));
  measure("... of 1 ms", stateless, ticks_of(.001));
  measure("a cache that would have held other blocks", {{"users", 7}}, {});
  for (const double requests : {50., 500., 5000.}) {
    const std::string what = "... with " + std::to_string(static_cast<int>(requests)) + " requests a user";
    measure(what.c_str(), {{"users", 7}, {"requests", requests}}, {});
  }
  return 0;
}
