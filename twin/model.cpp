#include "twin/model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace dpm::twin {
namespace {

constexpr std::size_t kFewValues = 8;     // so many different ones are counted
constexpr std::size_t kValuesShown = 64;  // of a distribution: a line or two of a file

// So many values that a process which draws `draws` times goes through all of them, again and again, with little left
// over: its total is then what was measured.
std::size_t parts_for(std::size_t samples, std::size_t draws) {
  // Members of a group that each draw a few go through one round all the same.
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
    // Part borders may cut a sample in two: every part weighs the same, so the mean is kept.
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

}  // namespace

double Measured::mean() const {
  if (values.empty()) return 0;
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double count = counts.empty() ? 1 : static_cast<double>(counts[i]);
    sum += count * values[i];
    weight += count;
  }
  return sum / weight;
}

Measured summarise(std::vector<double> samples, std::size_t members) {
  Measured measured;
  if (samples.empty()) return measured;
  std::sort(samples.begin(), samples.end());
  std::map<double, std::uint64_t> counts;
  for (std::size_t i = 0; i < samples.size() && counts.size() <= kFewValues; ++i) ++counts[samples[i]];
  if (counts.size() > kFewValues) {
    // Dealt over all that one process draws: shorter rounds would even out what in truth comes in bursts.
    const std::size_t draws = samples.size() / std::max<std::size_t>(members, 1);
    measured.values = representatives(samples, draws);
    measured.each = std::max<std::size_t>(1, draws / measured.values.size());
    return measured;
  }
  for (const auto& [value, count] : counts) {
    measured.values.push_back(value);
    measured.counts.push_back(std::max<std::uint64_t>(1, (count + members / 2) / std::max<std::size_t>(members, 1)));
  }
  return measured;
}

bool TwinGroup::is_called(const std::string& called) const {
  if (called == name) return true;
  if (!counted || called.size() <= name.size() + 1 || called.compare(0, name.size(), name) != 0) return false;
  const std::string number = called.substr(name.size() + 1);
  return called[name.size()] == '_' && number.front() != '0' && number.size() <= 6 &&
         std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
         std::stoul(number) <= count;
}

std::uint64_t Expected::all_messages() const {
  return std::accumulate(messages.begin(), messages.end(), without_peer,
                         [](std::uint64_t sum, const auto& pair) { return sum + pair.second; });
}

TwinGroup* Twin::find(const std::string& group) {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const TwinGroup& g) { return g.name == group; });
  return found == groups.end() ? nullptr : &*found;
}

}  // namespace dpm::twin
