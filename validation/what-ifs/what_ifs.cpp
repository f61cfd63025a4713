// Claim: what-ifs predicted from a trace agree with a simulation of the changed system.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/prediction/gains.hpp"
#include "analysis/prediction/prediction.hpp"
#include "validation/common/claim_program.hpp"
#include "validation/common/need.hpp"
#include "validation/what-ifs/changed_scenario.hpp"
#include "validation/what-ifs/systems.hpp"

namespace dpm::validation {
namespace {

// Errors of one kind of change.
struct Errors {
  double sum = 0, worst = 0;
  std::uint64_t count = 0;
  std::string worst_case;

  void add(double error, const std::string& name) {
    sum += error;
    ++count;
    if (error < worst) return;
    worst = error;
    worst_case = name;
  }
  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

struct Outcome {
  double elapsed_s = 0, P = 0;
};

// The larger of the two, relative.
double error_of(const Outcome& predicted, const Outcome& simulated) {
  return std::max(std::fabs(predicted.elapsed_s / simulated.elapsed_s - 1), std::fabs(predicted.P / simulated.P - 1));
}

Prediction predicted(History history, const WhatIf& what_if, std::optional<Order> order) {
  need(add_copies(what_if, history));
  Target target = traced_target(history);
  need(apply(what_if, history, target));
  return need(predict(history, target, {.order = order}));
}

class Measurement {
 public:
  explicit Measurement(const Asked& asked) : quick_(asked.quick) {}

  ClaimResult run() {
    try_changes();
    try_replicas();
    report();
    return std::move(result_);
  }

 private:
  void try_changes() {
    const auto systems = tried_systems(quick_ ? 25 : 200, quick_);
    std::uint64_t number = 0;
    for (const auto& make : systems) {
      const TriedSystem system = make();
      if (++number % 10 == 1) say(fmt::format("system {} of {}", number, systems.size()));
      for (const auto& change : changes_of(system, number)) try_change(system, change);
      if (number % (quick_ ? 5 : 4) == 1) try_gains(system);
    }
  }

  void try_change(const TriedSystem& system, const TriedChange& change) {
    Scenario changed = system.run.scenario;
    change.make(changed);
    const TracedRun truth(std::move(changed));
    const Prediction prediction = predicted(system.run.history, change.what_if, system.order);
    const Outcome foreseen{prediction.elapsed_s, prediction.P}, simulated{truth.elapsed_s(), truth.P()};
    const double error = error_of(foreseen, simulated);
    const std::string name = fmt::format("{}: {}", system.name, change.words);
    static const std::map<TriedChange::Kind, std::string> kNames = {{TriedChange::Kind::speed, "speed"},
                                                                    {TriedChange::Kind::link, "link"},
                                                                    {TriedChange::Kind::cores, "cores"},
                                                                    {TriedChange::Kind::together, "together"}};
    const std::string& kind = kNames.at(change.kind);
    const bool alone = change.kind != TriedChange::Kind::together;
    switch (system.memory) {
      case TriedSystem::Memory::none:
        driven_[kind].add(error, name);
        return point(kind, name, foreseen, simulated, prediction);
      case TriedSystem::Memory::cache:
        cached_[alone ? "cache" : "cache_together"].add(error, name);
        return point("file system with its cache", name, foreseen, simulated, prediction);
      case TriedSystem::Memory::programs:
        others_[kind].add(error, name);
        return point("programs that remember", name, foreseen, simulated, prediction);
    }
  }

  // Every process and every pair of machines a little better, ranked; each row simulated.
  void try_gains(const TriedSystem& system) {
    if (system.memory == TriedSystem::Memory::programs) return;
    constexpr double kGain = .05;
    const Prediction now = predicted(system.run.history, {}, system.order);
    const Target target = traced_target(system.run.history);
    const Roles roles = to_roles(now.roles, system.run.history.process_count());
    const Gains gains = find_gains(system.run.history, target, roles, now.order, {.gain = kGain});
    double best = 0, best_named = 0;
    for (const Gain& gain : gains.gains) {
      if (gain.of == Gain::Of::link) continue;  // the simulator has delays of machines only
      Scenario changed = system.run.scenario;
      if (gain.of == Gain::Of::process) {
        speed_up(changed, gain.a, 1 / (1 - kGain));
      } else {
        lengthen_link(changed, gain.a, gain.b, 1 - kGain);
      }
      const TracedRun truth(std::move(changed));
      const double elapsed = truth.elapsed_s() / system.run.elapsed_s() - 1;
      const double P = truth.P() / system.run.P() - 1;
      gain_.add(std::max(std::fabs(gain.elapsed - elapsed), std::fabs(gain.P - P)),
                fmt::format("{}: {}{}", system.name, gain.a, gain.b.empty() ? "" : "-" + gain.b));
      if (gain.reorders) continue;                // not ranked with the others
      if (best_named == 0) best_named = elapsed;  // the first row
      best = std::min(best, elapsed);
    }
    ++rankings_;
    right_rankings_ += best_named <= best + .0005;
  }

  void try_replicas() {
    const auto tried = tried_replicas(quick_ ? 8 : 40);
    std::uint64_t number = 0;
    for (const auto& make : tried) {
      if (++number % 10 == 1) say(fmt::format("copies of servers, system {} of {}", number, tried.size()));
      const TriedReplicas system = make();
      const Prediction prediction = predicted(system.traced.history, system.what_if, Order::arrival);
      const Outcome foreseen{prediction.elapsed_s, prediction.P};
      const Outcome simulated{system.simulated.elapsed_s(), system.simulated.P()};
      (system.message_driven ? driven_ : others_)["replicate"].add(error_of(foreseen, simulated), system.name);
      point(system.message_driven ? "replicate" : "programs that remember", system.name, foreseen, simulated,
            prediction);
    }
  }

  void point(const std::string& series, const std::string& name, const Outcome& foreseen, const Outcome& simulated,
             const Prediction& prediction) {
    points_[series].push_back({simulated.elapsed_s, foreseen.elapsed_s, prediction.spread.low_elapsed_s,
                               prediction.spread.high_elapsed_s, name});
  }

  void report() {
    ResultTable table{"What-ifs against simulations of the changed system: errors of elapsed time and P",
                      {"change", "tried", "mean", "worst", "the worst was"},
                      {}};
    for (const auto& [kind, errors] : driven_) {
      result_.figures[kind + "_worst"] = 100 * errors.worst;
      add_row(table, kind, errors);
    }
    for (const auto& [kind, errors] : cached_) {
      result_.figures[kind + "_worst"] = 100 * errors.worst;
      add_row(table,
              kind == "cache" ? "one change, file system with its cache" : "all together, file system with its cache",
              errors);
    }
    Errors all;
    for (const auto& [kind, errors] : others_) {
      all.sum += errors.sum;
      all.count += errors.count;
      add_row(table, kind + ", programs that remember", errors);
    }
    result_.figures["remembering_mean"] = 100 * all.mean();
    add_row(table, "5 % gains, difference in points", gain_);
    result_.figures["gain_worst"] = 100 * gain_.worst;
    result_.figures["best_gain_named"] =
        100.0 * static_cast<double>(right_rankings_) / static_cast<double>(std::max<std::uint64_t>(rankings_, 1));
    result_.tables.push_back(std::move(table));
    ResultPlot plot;
    plot.title = "What-ifs: elapsed time predicted from the unchanged system's trace";
    plot.kind = PlotKind::predicted_against_measured;
    plot.x = "simulated elapsed, s";
    plot.y = "predicted elapsed, s";
    for (auto& [name, points] : points_) plot.series.push_back({name, std::move(points)});
    result_.plots.push_back(std::move(plot));
  }

  static void add_row(ResultTable& table, const std::string& kind, const Errors& errors) {
    table.rows.push_back({kind, std::to_string(errors.count), percent_text(errors.mean(), 3),
                          percent_text(errors.worst, 2), errors.worst_case});
  }

  bool quick_;
  std::map<std::string, Errors> driven_, cached_, others_;
  Errors gain_;
  std::uint64_t rankings_ = 0, right_rankings_ = 0;
  std::map<std::string, std::vector<PlotPoint>> points_;
  ClaimResult result_;
};

}  // namespace
}  // namespace dpm::validation

int main(int argc, char** argv) {
  using namespace dpm::validation;
  return run_claim_program(argc, argv, {{}, [](const Asked& asked) { return Measurement(asked).run(); }});
}
