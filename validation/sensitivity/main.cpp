// What a prediction cannot know, and how much it matters: the file system with seven users is traced in three
// placements, one input of the predictor is made wrong, and its predictions of the other two placements are compared
// with simulations of them. In all but the last lines the buffer manager keeps no cache, so that nothing else is wrong
// and a line shows the effect of one error alone.
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "analysis/prediction/what_if.hpp"
#include "validation/common/matrix_study.hpp"
#include "validation/common/planted_error.hpp"

namespace {

using namespace dpm;
using namespace dpm::validation;

using Settings = std::map<std::string, double>;
using Change = std::function<void(Scenario&)>;  // of the system
using Mistake = std::function<void(History&)>;  // of what is known about it

constexpr double kMessageCpuShare = .15;  // of a message's delivery time, at each end
const Settings kStateless = {{"users", 7}, {"oblivious", 1}};

PiecewiseLinear times(const PiecewiseLinear& line, double factor) {
  auto points = line.points();
  for (auto& point : points) point.second *= factor;
  return PiecewiseLinear::through(std::move(points)).value();
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
  return [factor](History& history) { scale_all_delays(history.info.delays, factor); };
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

class Sweeps {
 public:
  explicit Sweeps(const Asked& asked)
      : asked_(asked), file_(shipped_scenario(scenarios_folder() / "file-system")), seeds_(asked.quick ? 1 : 5) {}

  CellErrors measure(const std::string& what, const Settings& parameters, const Mistake& mistake,
                     const Change& change = {}) {
    say(what);
    MatrixStudy study({{"arrival", {.order = Order::arrival}}});
    double messages = 0;
    for (std::uint64_t seed = 1; seed <= seeds_; ++seed) {
      std::vector<TracedRun> runs;
      for (const std::string placement : {"A", "B", "C"}) {
        Scenario scenario = instance(file_, placement, parameters, seed);
        if (change) change(scenario);
        runs.emplace_back(std::move(scenario), asked_.plant);
        messages += static_cast<double>(runs.back().truth.messages_delivered) / static_cast<double>(3 * seeds_);
        if (mistake) mistake(runs.back().history);
      }
      study.add(runs, "", what);
    }
    const CellErrors& errors = study.errors("arrival");
    table_.rows.push_back({what, percent_text(errors.mean()), percent_text(errors.worst()),
                           std::to_string(static_cast<int>(std::round(messages)))});
    return errors;
  }

  // P of the same placements under other seeds: a prediction of another day's run cannot be closer than this.
  double seed_noise() {
    double worst = 0;
    for (const std::string placement : {"A", "B", "C"}) {
      say("seeds: placement " + placement);
      std::vector<double> P;
      for (std::uint64_t seed = 1; seed <= (asked_.quick ? 3 : 20); ++seed)
        P.push_back(TracedRun(instance(file_, placement, kStateless, seed), asked_.plant).P());
      double mean = 0, squares = 0;
      for (const double p : P) mean += p / static_cast<double>(P.size());
      for (const double p : P) squares += (p / mean - 1) * (p / mean - 1) / static_cast<double>(P.size() - 1);
      worst = std::max(worst, std::sqrt(squares));
    }
    return worst;
  }

  ResultTable table() const { return table_; }

 private:
  const Asked& asked_;
  ScenarioFile file_;
  std::uint64_t seeds_;
  ResultTable table_{"Errors of P when one thing is wrong", {"what is wrong", "mean", "largest", "messages"}, {}};
};

ResultPlot sweep_plot(const std::string& title, const std::string& x) {
  return {PlotKind::lines, title, x, "error of P, %", {{"mean", {}}, {"largest", {}}}};
}

void add_point(ResultPlot& plot, double x, const CellErrors& errors) {
  plot.series[0].points.push_back({x, 100 * errors.mean(), std::nullopt, std::nullopt, ""});
  plot.series[1].points.push_back({x, 100 * errors.worst(), std::nullopt, std::nullopt, ""});
}

ClaimResult measure(const Asked& asked) {
  Sweeps sweeps(asked);
  ClaimResult result;
  auto& figures = result.figures;
  const auto percent = [](double fraction) { return 100 * fraction; };

  figures["nothing_wrong"] = percent(sweeps.measure("nothing", kStateless, {}).worst());

  ResultPlot delays = sweep_plot("What a wrong delay model does", "the model's delays, % of the true ones");
  for (const double factor : {.7, .8, .9, 1., 1.1, 1.2, 1.3}) {
    const int shown = static_cast<int>(std::round(100 * factor));
    const CellErrors errors = sweeps.measure(fmt::format("delays taken to be {} % of what they are", shown), kStateless,
                                             delays_times(factor));
    add_point(delays, shown, errors);
    if (shown == 110) figures["delays_10_percent_long"] = percent(errors.mean());
    if (shown == 90) figures["delays_10_percent_short"] = percent(errors.mean());
  }

  ResultPlot ticks = sweep_plot("What a coarse clock of CPU time does", "tick, ms");
  for (const double tick_ms : {.01, .1, 1., 2., 5., 10., 1000. / 60}) {
    char what[64];
    std::snprintf(what, sizeof what, "CPU time counted in ticks of %.3g ms", tick_ms);
    const CellErrors errors = sweeps.measure(what, kStateless, ticks_of(tick_ms / 1000));
    add_point(ticks, tick_ms, errors);
    if (tick_ms == 1) figures["ticks_of_1_ms"] = percent(errors.mean());
    if (tick_ms == 10) figures["ticks_of_10_ms"] = percent(errors.mean());
  }

  figures["unknown_message_cpu"] =
      percent(sweeps
                  .measure("messages cost CPU (30 % of their delay), and the delay model does not say so", kStateless,
                           forget_cpu_of_messages, make_messages_cost_cpu)
                  .mean());
  figures["known_message_cpu"] =
      percent(sweeps.measure("... and it does say so", kStateless, {}, make_messages_cost_cpu).worst());
  figures["cache"] = percent(sweeps.measure("a cache that would have held other blocks", {{"users", 7}}, {}).mean());

  ResultPlot lengths = sweep_plot("What the length of a trace does, with a cache", "requests of each user");
  for (const int requests : {50, 200, 500, 1000, 5000}) {
    if (asked.quick && requests > 1000) continue;
    add_point(lengths, requests,
              sweeps.measure(fmt::format("... with {} requests of each user", requests),
                             {{"users", 7}, {"requests", requests}}, {}));
  }

  figures["seed_noise"] = percent(sweeps.seed_noise());
  result.tables = {sweeps.table()};
  result.plots = {std::move(delays), std::move(ticks), std::move(lengths)};
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_claim_program(argc, argv, {kPlants, measure}); }
