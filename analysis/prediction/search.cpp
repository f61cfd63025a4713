#include "analysis/prediction/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "analysis/behaviour/behaviour.hpp"
#include "analysis/prediction/lower_bound.hpp"
#include "analysis/prediction/placements.hpp"
#include "model/check.hpp"
#include "model/process_names.hpp"
#include "model/random.hpp"

namespace dpm {
namespace {

using Positions = std::vector<std::uint32_t>;  // by movable unit: positions in PlacementSpace::machines

// What moves together: a process with its threads, or one without.
using Unit = std::vector<std::uint32_t>;

// The process that a thread belongs to, or the process itself.
std::uint32_t unit_of(const History& history, std::uint32_t process) {
  const ProcessId group = history.info.processes[process].group;
  return group.value < history.info.processes.size() ? group.value : process;
}

constexpr double kImpossible = std::numeric_limits<double>::infinity();

class Search {
 public:
  Search(const History& history, const Target& base, const SearchOptions& options, Order order, Roles roles,
         std::vector<Unit> movable, PlacementSpace space)
      : history_(history),
        base_(base),
        options_(options),
        order_(order),
        movable_(std::move(movable)),
        space_(std::move(space)),
        replay_(history, base, std::move(roles)),
        random_(Random::stream(options.seed, "placement search")) {}

  SearchResult run() {
    const std::uint64_t count = for_each_placement(
        space_, [&, n = std::uint64_t{0}](const Positions&) mutable { return ++n <= options_.exhaustive_limit; });
    result_.exhaustive = count <= options_.exhaustive_limit;
    if (result_.exhaustive) {
      result_.possible = count;
      if (options_.share) predict_together(all_placements());
      for_each_placement(space_, [&](const Positions& places) { return evaluate(places), true; });
    } else {
      improve_from_starts();
      anneal();
    }
    result_.base = candidate_at(base_.machine_of);
    result_.evaluated = known_.size();
    rank();
    bound();
    return std::move(result_);
  }

 private:
  std::vector<MachineId> machines_at(const Positions& places) const {
    auto machine_of = base_.machine_of;
    for (std::size_t i = 0; i < movable_.size(); ++i) {
      for (const std::uint32_t p : movable_[i]) machine_of[p] = space_.machines[places[i]];
    }
    return machine_of;
  }

  // The elapsed time, cached; empty once the heuristic has used up its evaluations.
  double evaluate(const Positions& any_places) {
    const Positions places = canonical(space_, any_places);
    const auto known = known_.find(places);
    if (known != known_.end()) return known->second;
    if (!result_.exhaustive && known_.size() >= options_.evaluations) return kImpossible;
    return note(places, predicted_ns(places));
  }

  double predicted_ns(const Positions& places) {
    const ReplayResult run = replay_.run(order_, machines_at(places));
    return run.not_performed == 0 ? run.elapsed_ns : kImpossible;
  }

  std::vector<Positions> all_placements() const {
    std::vector<Positions> all;
    for_each_placement(space_, [&](const Positions& places) { return all.push_back(places), true; });
    return all;
  }

  // What evaluate() will be asked for in this order, by all workers together if there are several.
  void predict_together(const std::vector<Positions>& asked) {
    if (!options_.share) return;
    std::vector<Positions> unknown;
    std::set<Positions> in_unknown;
    for (const Positions& any_places : asked) {
      const Positions places = canonical(space_, any_places);
      const bool is_known = known_.contains(places) || !in_unknown.insert(places).second;
      const bool may_be_new = result_.exhaustive || known_.size() + unknown.size() < options_.evaluations;
      if (!is_known && may_be_new) unknown.push_back(places);
    }
    const auto elapsed_ns = options_.share(unknown.size(), [&](std::size_t i) { return predicted_ns(unknown[i]); });
    for (std::size_t i = 0; i < unknown.size(); ++i) note(unknown[i], elapsed_ns[i]);
  }

  double note(const Positions& places, double elapsed_ns) {
    known_.emplace(places, elapsed_ns);
    if (options_.progress)
      options_.progress(known_.size(), result_.exhaustive ? result_.possible : options_.evaluations);
    if (!best_ || elapsed_ns < best_ns_) {
      best_ = places;
      best_ns_ = elapsed_ns;
    }
    return elapsed_ns;
  }

  bool used_up(double share = 1) const {
    return static_cast<double>(known_.size()) >= share * static_cast<double>(options_.evaluations);
  }

  // ---- the heuristic

  void improve_from_starts() {
    std::vector<Positions> starts;
    if (auto traced = places_of_base()) starts.push_back(*traced);
    starts.emplace_back(movable_.size(), fastest());
    Positions spread(movable_.size());
    for (std::uint32_t i = 0; i < spread.size(); ++i)
      spread[i] = i % static_cast<std::uint32_t>(space_.machines.size());
    starts.push_back(spread);
    for (const Positions& start : starts) evaluate(start);
    starts.push_back(greedy(spread));
    std::stable_sort(starts.begin(), starts.end(),
                     [&](const Positions& a, const Positions& b) { return evaluate(a) < evaluate(b); });
    for (const Positions& start : starts) descend(start, .6);
  }

  std::optional<Positions> places_of_base() const {
    Positions places;
    for (const Unit& unit : movable_) {
      const auto found = std::find(space_.machines.begin(), space_.machines.end(), base_.machine_of[unit.front()]);
      if (found == space_.machines.end()) return std::nullopt;
      places.push_back(static_cast<std::uint32_t>(found - space_.machines.begin()));
    }
    return places;
  }

  std::uint32_t fastest() const {
    std::uint32_t best = 0;
    for (std::uint32_t m = 1; m < space_.machines.size(); ++m) {
      if (power(m) > power(best)) best = m;
    }
    return best;
  }
  double power(std::uint32_t place) const {
    const MachineInfo& machine = base_.machines[space_.machines[place].value];
    return machine.speed * machine.cores;
  }

  // Positions one process after the other, the busiest first, where it does best while the others stay.
  Positions greedy(Positions places) {
    std::vector<std::size_t> order(movable_.size());
    std::vector<std::uint64_t> cpu_ns(movable_.size());
    for (std::size_t i = 0; i < movable_.size(); ++i) {
      order[i] = i;
      for (const std::uint32_t p : movable_[i]) {
        for (const HistoryEvent& event : history_.of(ProcessId{p})) cpu_ns[i] += event.cpu_ns;
      }
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cpu_ns[a] > cpu_ns[b]; });
    for (const std::size_t i : order) {
      if (used_up(.2)) break;
      best_move_of(i, places);
    }
    return places;
  }

  bool best_move_of(std::size_t i, Positions& places) {
    double least = evaluate(places);
    const std::uint32_t old = places[i];
    std::uint32_t best = old;
    std::vector<Positions> moves(space_.machines.size(), places);
    for (std::uint32_t m = 0; m < moves.size(); ++m) moves[m][i] = m;
    predict_together(moves);
    for (std::uint32_t m = 0; m < space_.machines.size(); ++m) {
      places[i] = m;
      const double elapsed = evaluate(places);
      if (elapsed < least) {
        least = elapsed;
        best = m;
      }
    }
    places[i] = best;
    return best != old;
  }

  void descend(Positions places, double share) {
    for (bool better = true; better && !used_up(share);) {
      better = false;
      for (std::size_t i = 0; i < places.size() && !used_up(share); ++i) better |= best_move_of(i, places);
      for (std::size_t i = 0; i < places.size() && !better && !used_up(share); ++i) better |= swap_one(i, places);
    }
  }

  bool swap_one(std::size_t i, Positions& places) {
    const double now = evaluate(places);
    for (std::size_t j = i + 1; j < places.size(); ++j) {
      if (places[i] == places[j]) continue;
      std::swap(places[i], places[j]);
      if (evaluate(places) < now) return true;
      std::swap(places[i], places[j]);
    }
    return false;
  }

  // Starts from the best found; accepts a worse placement with probability exp(-increase / temperature), which falls
  // from 5 % to 0.05 % of the elapsed time. Ends by descending from the best.
  void anneal() {
    if (!best_ || best_ns_ == kImpossible) return;
    Positions places = *best_;
    double elapsed = best_ns_;
    const std::uint64_t steps = options_.evaluations * 2;  // many steps lead back to placements already evaluated
    for (std::uint64_t step = 0; step < steps && !used_up(.95); ++step) {
      const double temperature = best_ns_ * .05 * std::pow(.01, static_cast<double>(step) / static_cast<double>(steps));
      Positions next = places;
      next[random_.below(next.size())] = static_cast<std::uint32_t>(random_.below(space_.machines.size()));
      if (random_.chance(.3)) std::swap(next[random_.below(next.size())], next[random_.below(next.size())]);
      const double then = evaluate(next);
      if (then < elapsed || random_.chance(std::exp((elapsed - then) / temperature))) {
        places = std::move(next);
        elapsed = then;
      }
    }
    descend(*best_, 1);
  }

  // ---- the result

  Candidate candidate_at(const std::vector<MachineId>& machine_of) {
    Candidate candidate;
    candidate.machine_of = machine_of;
    const ReplayResult run = replay_.run(order_, machine_of);
    candidate.elapsed_s = run.elapsed_ns * 1e-9;
    candidate.T_s = static_cast<double>(run.cpu_ns) * 1e-9;
    candidate.P = run.elapsed_ns > 0 ? candidate.T_s / candidate.elapsed_s : 0;
    for (const Unit& unit : movable_) {
      candidate.placement.machine_of_process[history_.info.processes[unit_of(history_, unit.front())].name] =
          base_.machines[machine_of[unit.front()].value].name;
    }
    return candidate;
  }

  void rank() {
    std::vector<std::pair<double, const Positions*>> ranking;
    for (const auto& [places, elapsed_ns] : known_) {
      if (elapsed_ns != kImpossible) ranking.emplace_back(elapsed_ns, &places);
    }
    std::stable_sort(ranking.begin(), ranking.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::map<Shape, std::size_t> candidate_of;  // by what does not change when equal machines are exchanged
    for (const auto& [elapsed_ns, places] : ranking) {
      const bool is_full = result_.candidates.size() >= options_.keep;
      const Shape shape = shape_of(*places, elapsed_ns);
      const auto same = candidate_of.find(shape);
      if (same != candidate_of.end()) {
        result_.candidates[same->second].alike += renamings_of(space_, *places);
      } else if (!is_full) {
        candidate_of.emplace(shape, result_.candidates.size());
        result_.candidates.push_back(candidate_at(machines_at(*places)));
        result_.candidates.back().alike = renamings_of(space_, *places) - 1;
        result_.candidates.back().placement.name = "candidate " + std::to_string(result_.candidates.size());
      }
    }
  }

  // The predicted time, and which processes are together on a machine of which speed and cores.
  struct Group {
    double speed = 1;
    std::uint16_t cores = 1;
    std::vector<std::size_t> units;
    friend auto operator<=>(const Group&, const Group&) = default;
  };
  using Shape = std::pair<double, std::vector<Group>>;

  Shape shape_of(const Positions& places, double elapsed_ns) const {
    std::map<std::uint32_t, Group> group_on;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const MachineInfo& machine = base_.machines[space_.machines[places[i]].value];
      Group& group = group_on[places[i]];
      group.speed = machine.speed;
      group.cores = machine.cores;
      group.units.push_back(i);
    }
    Shape shape{elapsed_ns, {}};
    for (auto& [place, group] : group_on) shape.second.push_back(std::move(group));
    std::sort(shape.second.begin(), shape.second.end());
    return shape;
  }

  void bound() {
    std::vector<bool> may_move(history_.process_count());
    for (const Unit& unit : movable_) {
      for (const std::uint32_t p : unit) may_move[p] = true;
    }
    result_.lower_bound_s = lower_bound_ns(history_, base_, may_move, space_.machines, order_) * 1e-9;
    if (result_.exhaustive || result_.candidates.empty() || result_.lower_bound_s <= 0) return;
    result_.regret_bound = std::max(0.0, result_.candidates.front().elapsed_s / result_.lower_bound_s - 1);
  }

  const History& history_;
  const Target& base_;
  const SearchOptions& options_;
  const Order order_;
  const std::vector<Unit> movable_;
  const PlacementSpace space_;
  Replay replay_;
  Random random_;
  std::map<Positions, double> known_;
  std::optional<Positions> best_;
  double best_ns_ = kImpossible;
  SearchResult result_;
};

Result<std::vector<Unit>> movable_units(const History& history, const SearchOptions& options) {
  const auto& chosen = options.movable;
  if (const auto known = check_process_names(history.info, chosen); !known)
    return Error{"search: " + known.error().what};
  const auto processes = static_cast<std::uint32_t>(history.info.processes.size());
  std::vector<bool> moves(processes, chosen.empty());
  for (std::uint32_t p = 0; p < processes; ++p)
    if (is_called_one_of(history.info, ProcessId{p}, chosen)) moves[unit_of(history, p)] = true;
  std::vector<Unit> movable;
  std::map<std::uint32_t, std::size_t> place_of;  // by unit
  for (std::uint32_t p = 0; p < processes; ++p) {
    const std::uint32_t unit = unit_of(history, p);
    if (!moves[unit] || history.of(ProcessId{p}).empty()) continue;
    const auto [place, is_new] = place_of.try_emplace(unit, movable.size());
    if (is_new) movable.emplace_back();
    movable[place->second].push_back(p);
  }
  if (movable.empty()) return Error{"search: none of the processes to move has an event in the trace"};
  return movable;
}

Result<std::vector<MachineId>> allowed_machines(const Target& base, const SearchOptions& options) {
  std::vector<std::string> names;
  for (const auto& machine : base.machines) names.push_back(machine.name);
  std::vector<MachineId> allowed;
  for (const auto& name : options.machines) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      const std::string meant = did_you_mean(name, names);
      return Error{fmt::format(
          "search: no machine '{}'{}", name,
          meant.empty() ? fmt::format("; there are: {}, and 'cores' for single cores", fmt::join(names, ", "))
                        : meant)};
    }
    allowed.push_back({static_cast<std::uint16_t>(found - names.begin())});
  }
  if (!options.machines.empty()) return allowed;
  for (std::size_t m = 0; m < names.size(); ++m)
    if (base.machines[m].accepts) allowed.push_back({static_cast<std::uint16_t>(m)});
  if (allowed.empty()) return Error{"search: there are no machines to place processes on"};
  return allowed;
}

PlacementSpace space_of(const Target& base, const std::vector<MachineId>& allowed, const std::vector<bool>& holds_fixed,
                        std::size_t units) {
  PlacementSpace space{units, allowed, {}};
  std::map<std::pair<double, std::uint16_t>, std::uint32_t> kind_of_power;
  std::uint32_t kinds = 0;
  for (const MachineId machine : allowed) {
    const MachineInfo& info = base.machines[machine.value];
    const bool has_delays_of_its_own =
        std::any_of(base.delays.pairs.begin(), base.delays.pairs.end(),
                    [&](const PairClass& pair) { return pair.machine_a == info.name || pair.machine_b == info.name; });
    if (holds_fixed[machine.value] || has_delays_of_its_own) {
      space.kind_of.push_back(kinds++);
      continue;
    }
    const auto [entry, is_new] = kind_of_power.try_emplace({info.speed, info.cores}, kinds);
    if (is_new) ++kinds;
    space.kind_of.push_back(entry->second);
  }
  return space;
}

}  // namespace

Result<SearchResult> search(const History& history, const Target& base, const SearchOptions& options) {
  if (history.cpu_ns() == 0) return Error{"search: the trace has no CPU times, so all placements look alike"};
  InferredBehaviour choice = infer_behaviour(history);
  const Order order =
      options.order.value_or(choice.same_as_arrival() || !base.replicas.empty() ? Order::arrival : Order::role);
  Roles roles = options.order ? to_roles(choice.groups, history.process_count()) : std::move(choice.roles);
  if (options.order == Order::role && choice.groups.empty()) {
    return Error{"search: the trace has no dispatcher with workers: use --order arrival"};
  }
  const auto movable = movable_units(history, options);
  if (!movable) return movable.error();
  std::vector<bool> holds_fixed(base.machines.size());
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    const bool moves = std::any_of(movable->begin(), movable->end(), [p](const Unit& unit) {
      return std::find(unit.begin(), unit.end(), p) != unit.end();
    });
    if (!moves && !history.of(ProcessId{p}).empty()) holds_fixed[base.machine_of[p].value] = true;
  }
  const auto allowed = allowed_machines(base, options);
  if (!allowed) return allowed.error();
  SearchResult result = Search(history, base, options, order, std::move(roles), *movable,
                               space_of(base, *allowed, holds_fixed, movable->size()))
                            .run();
  if (result.candidates.empty()) return Error{"search: the trace contradicts itself; no placement could be replayed"};
  return result;
}

}  // namespace dpm
