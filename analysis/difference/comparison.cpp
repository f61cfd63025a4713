#include "analysis/difference/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/difference/structure.hpp"

namespace dpm {
namespace {

bool is_equal(double a, double b) { return std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b)); }

double amount(const Amounts& amounts, const AmountName& name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? 0 : found->second;
}

// The amounts of both systems; those of the first in every run of it.
class Amount {
 public:
  Amount(const RunProfile& a, const RunProfile& b, const NamedRun& named_b, std::span<const NamedRun> repeats)
      : b_(amounts_of(b, named_b.names)) {
    runs_of_a_.push_back(amounts_of(a, names_of(a)));
    for (const NamedRun& repeat : repeats) runs_of_a_.push_back(amounts_of(*repeat.run, repeat.names));
  }

  MeasureChange change(Measure measure) const {
    MeasureChange change{measure, total(runs_of_a_[0], measure), total(b_, measure)};
    change.within_noise = is_noise([&](const Amounts& run) { return total(run, measure); }, change.b);
    double moved = 0;
    for (const AmountName& name : names(measure)) {
      const double a = amount(runs_of_a_[0], name), b = amount(b_, name);
      if (is_equal(a, b)) continue;
      if (is_noise([&](const Amounts& run) { return amount(run, name); }, b)) {
        ++change.noise_changes;
        continue;
      }
      const double whole = change.b - change.a;
      change.changes.push_back({name, a, b, is_equal(change.a, change.b) ? 0 : (b - a) / whole});
      moved += std::abs(b - a);
    }
    std::stable_sort(change.changes.begin(), change.changes.end(), [](const AmountChange& x, const AmountChange& y) {
      return std::abs(x.b - x.a) > std::abs(y.b - y.a);
    });
    const double largest = std::max(change.a, change.b);
    change.moved = largest > 0 ? moved / 2 / largest : 0;
    if (!change.within_noise && !is_equal(change.a, change.b)) change.change = std::abs(change.b - change.a) / largest;
    return change;
  }

 private:
  std::vector<AmountName> names(Measure measure) const {
    std::vector<AmountName> all;
    const auto collect = [&](const Amounts& amounts) {
      for (const auto& [name, value] : amounts)
        if (name.measure == measure) all.push_back(name);
    };
    collect(runs_of_a_[0]);
    collect(b_);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  template <typename Of>
  bool is_noise(const Of& of, double b) const {
    std::vector<double> values;
    for (const Amounts& run : runs_of_a_) values.push_back(of(run));
    const auto noise = noise_of(values);
    return noise && noise->covers(b);
  }

  std::vector<Amounts> runs_of_a_;  // the first is a itself
  Amounts b_;
};

std::vector<WaitChange> compare_waits(const RunProfile& a, const RunProfile& b, const Alignment& alignment) {
  std::vector<WaitChange> changes;
  for (std::size_t p = 0; p < a.processes.size(); ++p) {
    if (!alignment.b_of_a[p]) continue;
    const ProcessProfile &before = a.processes[p], &after = b.processes[*alignment.b_of_a[p]];
    if (before.wait_mean_s && after.wait_mean_s && *before.wait_mean_s != *after.wait_mean_s)
      changes.push_back({before.name, *before.wait_mean_s, *after.wait_mean_s});
  }
  std::stable_sort(changes.begin(), changes.end(), [](const WaitChange& x, const WaitChange& y) {
    return std::abs(x.b_s - x.a_s) > std::abs(y.b_s - y.a_s);
  });
  return changes;
}

}  // namespace

Comparison compare(const RunProfile& a, const RunProfile& b, std::span<const RunProfile> repeats) {
  const Alignment alignment = align(a, b);
  const NamedRun named_a{&a, names_of(a)}, named_b{&b, names_of(b, a, alignment)};
  std::vector<NamedRun> named_repeats;
  for (const RunProfile& repeat : repeats) named_repeats.push_back({&repeat, names_of(repeat, a, align(a, repeat))});

  Structure structure = compare_structure(named_a, named_b, named_repeats);
  Comparison comparison{
      std::move(structure.changes), {}, compare_waits(a, b, alignment), structure.noise, 1 + repeats.size()};
  const Amount amounts(a, b, named_b, named_repeats);
  for (const Measure measure : kMeasures) {
    MeasureChange change = amounts.change(measure);
    if (!change.changes.empty() || change.noise_changes > 0) comparison.measures.push_back(std::move(change));
  }
  std::stable_sort(comparison.measures.begin(), comparison.measures.end(),
                   [](const MeasureChange& x, const MeasureChange& y) {
                     return std::pair(x.change, x.moved) > std::pair(y.change, y.moved);
                   });
  return comparison;
}

}  // namespace dpm
