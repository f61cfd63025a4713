#include "twin/making_steps.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

namespace dpm::twin {
namespace {

constexpr std::size_t kFewValues = 8;     // up to this number of different values, each is counted
constexpr std::size_t kValuesShown = 64;  // of a distribution: one or two lines of a file

// The number of values for which a process that draws `draws` times goes through all of them several times with little
// left over: its total is then what was measured.
std::size_t parts_for(std::size_t samples, std::size_t draws) {
  // Members of a group that each draw a few go through one round in any case.
  std::size_t best = std::min(kValuesShown, draws >= kFewValues ? std::min(draws, samples) : samples);
  for (std::size_t parts = best; parts >= kValuesShown / 2 && draws > kValuesShown; --parts)
    if (draws % parts < draws % best) best = parts;
  return best;
}

// Means of equal parts of the sorted samples, spread so that their variance is that of the samples.
std::vector<double> representatives(const std::vector<double>& sorted, std::size_t draws) {
  std::vector<double> values;
  const std::size_t parts = parts_for(sorted.size(), draws);
  const auto n = static_cast<double>(sorted.size());
  for (std::size_t part = 0; part < parts; ++part) {
    // Part borders may divide a sample: every part has the same weight, so the mean is kept.
    const double low = n * static_cast<double>(part) / static_cast<double>(parts);
    const double high = n * static_cast<double>(part + 1) / static_cast<double>(parts);
    double sum = 0;
    for (auto i = static_cast<std::size_t>(low); i < sorted.size() && static_cast<double>(i) < high; ++i)
      sum += sorted[i] * (std::min(high, static_cast<double>(i + 1)) - std::max(low, static_cast<double>(i)));
    values.push_back(sum / (high - low));
  }
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(parts);
  double variance = 0, kept = 0;
  for (const double value : sorted) variance += (value - mean) * (value - mean) / n;
  for (const double value : values) kept += (value - mean) * (value - mean) / static_cast<double>(parts);
  if (kept <= 0 || values.front() <= 0) return values;
  // No value may become negative.
  const double wanted = std::sqrt(variance / kept);
  const double spread = std::min(wanted, mean / (mean - values.front() + 1e-30));
  for (double& value : values) value = std::max(0.0, mean + (value - mean) * spread);
  return values;
}

// A quantity that always has the same value is not dealt.
Quantity dealt(std::vector<double> values, std::vector<double> weights, bool one_weight) {
  if (values.size() == 1) return Quantity::constant(values.front());
  return {Quantity::Kind::measured, {}, {}, std::move(values), std::move(weights), one_weight};
}

Step count_step(const std::string& counter) { return {steps::Count{{counter}}}; }

Step if_step(const std::string& counter, Value at_least, Steps then, Steps otherwise = {}) {
  return {steps::If{.criterion = {.compared = {0, counter}, .at_least = std::move(at_least)},
                    .steps = std::move(then),
                    .otherwise = std::move(otherwise)}};
}

}  // namespace

Quantity summarise(std::vector<double> samples, std::size_t members) {
  if (samples.empty()) return Quantity::constant(0);
  std::sort(samples.begin(), samples.end());
  std::map<double, std::uint64_t> counts;
  for (std::size_t i = 0; i < samples.size() && counts.size() <= kFewValues; ++i) ++counts[samples[i]];
  std::vector<double> values, weights;
  if (counts.size() > kFewValues) {
    // Dealt over all draws of one process: shorter rounds would even out real bursts.
    const std::size_t draws = samples.size() / std::max<std::size_t>(members, 1);
    values = representatives(samples, draws);
    const std::size_t each = std::max<std::size_t>(1, draws / values.size());
    weights.assign(values.size(), static_cast<double>(each));
    return dealt(std::move(values), std::move(weights), true);
  }
  for (const auto& [value, count] : counts) {
    values.push_back(value);
    const std::uint64_t of_one = (count + members / 2) / std::max<std::size_t>(members, 1);
    weights.push_back(static_cast<double>(std::max<std::uint64_t>(1, of_one)));
  }
  return dealt(std::move(values), std::move(weights), false);
}

double mean(const Quantity& quantity) {
  if (quantity.kind == Quantity::Kind::constant) return quantity.first.number;
  return std::inner_product(quantity.values.begin(), quantity.values.end(), quantity.weights.begin(), 0.0) /
         std::accumulate(quantity.weights.begin(), quantity.weights.end(), 0.0);
}

Step compute_step(Quantity seconds) { return {steps::Compute{std::move(seconds)}}; }

Step sleep_step(Quantity seconds) { return {steps::Sleep{std::move(seconds)}}; }

Step send_step(const std::string& kind, const std::string& group, Quantity bytes, Pick pick) {
  return {steps::Send{{.kind = {kind}, .to = {group}, .bytes = std::move(bytes), .pick = pick}}};
}

Step wait_step(const std::string& kind, const std::string& group, std::uint64_t times, Timeout timeout) {
  return {steps::Wait{.kinds = {{kind}}, .from = {group}, .count = {times}, .timeout = std::move(timeout)}};
}

Step repeat_step(Value times, Steps steps) { return {steps::Repeat{std::move(times), std::move(steps)}}; }

Step stop_step() { return {steps::Stop{}}; }

Steps every(const std::string& counter, Value period, Steps when, Steps otherwise) {
  Steps then = {{steps::Set{{counter}, {}}}};
  append(then, std::move(when));
  return {count_step(counter), if_step(counter, std::move(period), std::move(then), std::move(otherwise))};
}

Steps in_phases(const std::string& counter, std::vector<Phase> phases) {
  std::uint64_t before = 0;
  for (std::size_t i = 0; i + 1 < phases.size(); ++i) before += phases[i].times;
  Steps inner = std::move(phases.back().steps);
  for (std::size_t i = phases.size() - 1; i > 0; --i) {
    inner = {if_step(counter, {static_cast<double>(before + 1)}, std::move(inner), std::move(phases[i - 1].steps))};
    before -= phases[i - 1].times;
  }
  Steps steps = {count_step(counter)};
  append(steps, std::move(inner));
  return steps;
}

Steps end_after(const std::string& counter, std::uint64_t times) {
  return {count_step(counter), if_step(counter, {static_cast<double>(times)}, {stop_step()})};
}

void append(Steps& steps, Steps more) {
  steps.insert(steps.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace dpm::twin
