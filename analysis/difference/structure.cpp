#include "analysis/difference/structure.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace dpm {
namespace {

using Names = std::vector<std::string>;
using Counts = std::map<Names, std::uint64_t>;

Counts processes_of(const NamedRun& named) {
  Counts counts;
  for (const std::string& name : named.names) counts[{name}] = 0;
  return counts;
}

Counts pairs_of(const NamedRun& named) {
  Counts counts;
  for (const PairProfile& pair : named.run->pairs)
    counts[{named.names[pair.from], named.names[pair.to]}] += pair.messages;
  return counts;
}

Counts paths_of(const NamedRun& named) {
  Counts counts;
  for (const PathProfile& path : named.run->paths) {
    Names names;
    for (const std::size_t process : path.processes) names.push_back(named.names[process]);
    counts[std::move(names)] += path.requests;
  }
  return counts;
}

class Structures {
 public:
  Structures(const NamedRun& a, const NamedRun& b, std::span<const NamedRun> repeats)
      : a_(a), b_(b), repeats_(repeats) {}

  // What `of` finds in one of the two runs only. New: in no run of a. Gone: in every run of a.
  void find(Counts (*of)(const NamedRun&), StructuralKind is_new, StructuralKind is_gone) {
    const Counts in_a = of(a_), in_b = of(b_);
    std::vector<Counts> in_repeats;
    for (const NamedRun& repeat : repeats_) in_repeats.push_back(of(repeat));
    const auto has = [](const Names& names) {
      return [&names](const Counts& counts) { return counts.contains(names); };
    };
    std::vector<StructuralChange> found;
    for (const auto& [names, count] : in_b) {
      if (in_a.contains(names)) continue;
      const bool known = std::any_of(in_repeats.begin(), in_repeats.end(), has(names));
      keep(found, {is_new, names, "", "", count}, known);
    }
    for (const auto& [names, count] : in_a) {
      if (in_b.contains(names)) continue;
      const bool always = std::all_of(in_repeats.begin(), in_repeats.end(), has(names));
      keep(found, {is_gone, names, "", "", count}, !always);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& x, const auto& y) { return x.count > y.count; });
    std::move(found.begin(), found.end(), std::back_inserter(result_.changes));
  }

  // Of processes that both runs have.
  void find_names_and_machines() {
    std::map<std::string, const ProcessProfile*> in_b;
    for (std::size_t p = 0; p < b_.names.size(); ++p) in_b[b_.names[p]] = &b_.run->processes[p];
    for (std::size_t p = 0; p < a_.names.size(); ++p) {
      const auto found = in_b.find(a_.names[p]);
      if (found == in_b.end()) continue;
      const ProcessProfile &before = a_.run->processes[p], &after = *found->second;
      if (before.name != after.name)
        result_.changes.push_back({StructuralKind::renamed_process, {before.name, after.name}, "", "", 0});
      if (before.machine != after.machine)
        result_.changes.push_back({StructuralKind::moved_process, {before.name}, before.machine, after.machine, 0});
    }
  }

  Structure take() { return std::move(result_); }

 private:
  void keep(std::vector<StructuralChange>& found, StructuralChange change, bool is_noise) {
    if (is_noise)
      ++result_.noise;
    else
      found.push_back(std::move(change));
  }

  const NamedRun& a_;
  const NamedRun& b_;
  std::span<const NamedRun> repeats_;
  Structure result_;
};

}  // namespace

Structure compare_structure(const NamedRun& a, const NamedRun& b, std::span<const NamedRun> repeats) {
  Structures structures(a, b, repeats);
  structures.find(processes_of, StructuralKind::new_process, StructuralKind::gone_process);
  structures.find_names_and_machines();
  structures.find(paths_of, StructuralKind::new_path, StructuralKind::gone_path);
  structures.find(pairs_of, StructuralKind::new_pair, StructuralKind::gone_pair);
  return structures.take();
}

}  // namespace dpm
