#include "analysis/twin/programs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include "analysis/twin/dispatching.hpp"

namespace dpm::twin {
namespace {

constexpr std::size_t kShapesMost = 24;    // branches that a person still reads
constexpr std::size_t kCyclesInOrder = 6;  // a start of so few cycles is written as it was
constexpr double kCommon = 0.01;           // of all cycles: a form that is repeated, not a beginning or an end
constexpr double kAgree = 0.98;

using Warnings = std::vector<std::string>;

void append(std::vector<TwinStep>& steps, std::vector<TwinStep> more) {
  steps.insert(steps.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// ---- the start

// Cut behind every wait; where there is none, behind every message sent.
std::vector<TokenRun> cycles_of(const TokenRun& life) {
  const auto waits = [](const Token& token) { return token.what == Do::wait; };
  const bool any_wait = std::any_of(life.tokens.begin(), life.tokens.end(), waits);
  std::vector<TokenRun> cycles;
  TokenRun cycle;
  cycle.process = life.process;
  for (std::size_t i = 0; i < life.tokens.size(); ++i) {
    cycle.tokens.push_back(life.tokens[i]);
    const bool ends = any_wait ? waits(life.tokens[i]) && (i + 1 == life.tokens.size() || !waits(life.tokens[i + 1]))
                               : life.tokens[i].what == Do::send;
    if (!ends) continue;
    cycles.push_back(cycle);
    cycle.tokens.clear();
  }
  cycle.tail_cpu_s = life.tail_cpu_s;
  if (!cycle.tokens.empty() || cycle.tail_cpu_s > 0) cycles.push_back(cycle);
  return cycles;
}

// The start of a group: what its members do first, again and again, and last.
class StartWriter {
 public:
  StartWriter(const Material& material, const Group& group, TwinGroup& twin, Warnings& warnings)
      : material_(material), group_(group), twin_(twin), warnings_(warnings) {}

  std::vector<TwinStep> write(const std::vector<TokenRun>& starts) {
    for (const TokenRun& start : starts) cycles_.push_back(cycles_of(start));
    std::size_t longest = 0;
    for (const auto& cycles : cycles_) longest = std::max(longest, cycles.size());
    std::vector<TwinStep> steps;
    const bool in_order = longest <= kCyclesInOrder && !one_form();
    const std::size_t first = same_cycles(false, in_order ? std::set<std::string>{} : common());
    const std::size_t last = in_order ? 0 : same_cycles(true, common());
    for (std::size_t i = 0; i < first; ++i) append(steps, steps_at([i](const auto&) { return i; }));
    write_repeated(first, last, steps);
    for (std::size_t i = last; i > 0; --i)
      append(steps, steps_at([i](const auto& cycles) { return cycles.size() - i; }));
    return steps;
  }

 private:
  // The same, more than once.
  bool one_form() const {
    std::set<std::string> forms;
    std::size_t all = 0;
    for (const auto& cycles : cycles_)
      for (const auto& cycle : cycles) forms.insert(cycle.key()), ++all;
    return forms.size() == 1 && all > cycles_.size();
  }

  // Forms that come up again and again.
  std::set<std::string> common() const {
    std::map<std::string, std::size_t> counts;
    std::size_t all = 0;
    for (const auto& cycles : cycles_)
      for (const auto& cycle : cycles) ++counts[cycle.key()], ++all;
    std::set<std::string> found;
    for (const auto& [key, count] : counts)
      if (static_cast<double>(count) >
          std::max(2.0 * static_cast<double>(cycles_.size()), kCommon * static_cast<double>(all)))
        found.insert(key);
    return found;
  }

  // How many cycles at the beginning (or end) all members have alike, none of them common.
  std::size_t same_cycles(bool at_end, const std::set<std::string>& common) const {
    for (std::size_t i = 0;; ++i) {
      std::string key;
      for (const auto& cycles : cycles_) {
        if (i >= cycles.size()) return i;
        const std::string here = cycles[at_end ? cycles.size() - 1 - i : i].key();
        if (common.count(here) != 0 || (!key.empty() && key != here)) return i;
        key = here;
      }
    }
  }

  template <typename Which>
  std::vector<TwinStep> steps_at(Which which) {
    std::optional<Shape> shape;
    for (const auto& cycles : cycles_) {
      const TokenRun& cycle = cycles[which(cycles)];
      if (!shape) shape.emplace(cycle);
      shape->add(cycle);
    }
    return shape->steps(material_, group_.members.size(), warnings_);
  }

  void write_repeated(std::size_t first, std::size_t last, std::vector<TwinStep>& steps) {
    Shapes shapes;
    std::size_t all = 0;
    for (const auto& cycles : cycles_) {
      for (std::size_t i = first; i + last < cycles.size(); ++i, ++all) shapes.add(cycles[i]);
    }
    if (all == 0) return;
    shapes.keep_commonest(kShapesMost);
    twin_.activities_forced += shapes.forced();
    TwinStep repeat;
    repeat.what = Do::repeat;
    repeat.times = std::max<std::size_t>(1, (all + cycles_.size() / 2) / cycles_.size());
    repeat.times_parameter = twin_.name + "_repeats";
    repeat.steps = shapes.steps(material_, group_.members.size(), warnings_);
    steps.push_back(std::move(repeat));
  }

  const Material& material_;
  const Group& group_;
  TwinGroup& twin_;
  Warnings& warnings_;
  std::vector<std::vector<TokenRun>> cycles_;  // by member
};

// ---- handlers

struct HandlerKey {
  std::string kind;
  std::uint32_t from = kNone;
  friend auto operator<=>(const HandlerKey&, const HandlerKey&) = default;
};

struct HandlerClass {
  Shapes shapes;
  std::map<std::uint32_t, std::vector<std::size_t>> order;  // by process: forms as they came
};

// If form `rare` is that of every n-th time: n. Otherwise 0.
std::size_t period_of(const HandlerClass& handled, std::size_t rare) {
  std::size_t period = 0;
  for (const auto& [process, order] : handled.order) {
    std::size_t since = 0;
    for (const std::size_t shape : order) {
      ++since;
      if (shape != rare) continue;
      if (period != 0 && since != period) return 0;
      period = since;
      since = 0;
    }
    if (period == 0 || since >= period) return 0;
  }
  return period > 1 ? period : 0;
}

// Where the last activities of a process have forms that none before has: the number of those before. A process that
// counts, and does something else at the end, looks so.
std::size_t end_of_first_phase(const std::vector<std::size_t>& order, std::size_t begin) {
  std::map<std::size_t, std::size_t> last;
  for (std::size_t i = begin; i < order.size(); ++i) last[order[i]] = i;
  std::size_t boundary = begin;  // everything before it has forms of its own
  for (std::size_t i = begin; i < order.size(); ++i) {
    boundary = std::max(boundary, last[order[i]] + 1);
    if (i + 1 == boundary) return boundary;
  }
  return order.size();
}

class HandlerWriter {
 public:
  HandlerWriter(const Material& material, const Group& group, const ProgramContext& context, TwinGroup& twin,
                Warnings& warnings)
      : material_(material), group_(group), context_(context), twin_(twin), warnings_(warnings) {}

  void add(std::uint32_t process, const Activity& activity) {
    const Op& trigger = material_.recording.lives[process].ops[activity.trigger];
    if (trigger.peer == kNone || material_.groups.of[trigger.peer] == kNone) return;
    const HandlerKey key{material_.kinds.of(trigger.peer, process, trigger), material_.groups.of[trigger.peer]};
    HandlerClass& handled = classes_[key];
    const TokenRun run =
        tokens_of(material_, process, activity.begin, activity.end, activity.tail_cpu_ns, activity.stops);
    handled.order[process].push_back(handled.shapes.add(run));
    if (group_.members.size() == 1) runs_[key].push_back(run);
  }

  void write() {
    const std::uint64_t end_after = context_.closed_loop ? 0 : messages_until_end();
    for (auto& [key, handled] : classes_) {
      if (context_.closed_loop || group_.members.size() > 1) drop_chance_stops(key, handled);
      TwinHandler handler{key.kind, material_.groups.all[key.from].name, {}};
      std::size_t rare = 0, period = 0;
      for (std::size_t form = 0; form < 2 && period == 0 && handled.shapes.all().size() == 2; ++form) {
        rare = form;
        period = period_of(handled, form);
      }
      const auto ends = phases_of(handled);
      if (period > 0) {
        handler.steps = {every(handled, rare, period, key)};
      } else if (ends.size() > 1) {
        handler.steps = {phases(key, ends)};
      } else {
        if (handled.shapes.all().size() > kShapesMost) handled.shapes.keep_commonest(kShapesMost);
        twin_.activities_forced += handled.shapes.forced();
        handler.steps = handled.shapes.steps(material_, group_.members.size(), warnings_);
      }
      if (end_after > 0) {
        TwinStep end;
        end.what = Do::end_after;
        end.times = end_after;
        handler.steps.push_back(std::move(end));
      }
      twin_.program.handlers.push_back(std::move(handler));
    }
  }

 private:
  // A process that ends behind a message like others before has counted them: all it handled, of whatever kind. 0 if it
  // does not. The message it ended behind is then one like the others.
  std::uint64_t messages_until_end() {
    if (group_.members.size() != 1) return 0;
    std::uint64_t all = 0;
    bool counts = false;
    for (auto& [key, handled] : classes_) {
      const std::size_t before = handled.shapes.all().size();
      drop_chance_stops(key, handled);
      counts = counts || handled.shapes.all().size() < before;
      all += handled.order.begin()->second.size();
    }
    return counts ? all : 0;
  }

  // A service that ends with the run happens to end behind some message: that is no behaviour of its own.
  void drop_chance_stops(const HandlerKey& key, HandlerClass& handled) {
    auto& shapes = handled.shapes.all();
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      if (!shapes[i].stops() || shapes.size() < 2) continue;
      const std::string form = handled.shapes.key_of(i);
      const auto without = handled.shapes.find(form.substr(0, form.rfind('X')));
      if (!without) continue;
      handled.shapes.merge(*without, i);
      auto& runs = runs_[key];
      for (std::size_t at = 0; at < runs.size(); ++at) {
        if (handled.order.begin()->second[at] != i) continue;
        runs[at].tail_cpu_s += runs[at].tokens.back().cpu_s;
        runs[at].tokens.pop_back();
      }
      for (auto& [process, order] : handled.order) std::replace(order.begin(), order.end(), i, *without);
    }
    handled.shapes.drop_empty(handled.order);
  }

  // Where phases end, if there are several: of one process alone, for members would each have their own.
  std::vector<std::size_t> phases_of(const HandlerClass& handled) const {
    constexpr std::size_t kPhasesMost = 4;
    if (handled.order.size() != 1) return {};
    const auto& order = handled.order.begin()->second;
    std::vector<std::size_t> ends;
    for (std::size_t begin = 0; begin < order.size();) {
      begin = end_of_first_phase(order, begin);
      ends.push_back(begin);
    }
    // A first request that is like no other is a phase, and so is an end; more are chance.
    if (ends.size() > kPhasesMost) return {};
    // Whatever comes last would be done for ever with more clients; unless it is the end.
    const bool ends_itself = handled.shapes.all()[order.back()].stops();
    return context_.closed_loop && !ends_itself ? std::vector<std::size_t>{} : ends;
  }

  TwinStep phases(const HandlerKey& key, const std::vector<std::size_t>& ends) {
    TwinStep step;
    step.what = Do::phases;
    const auto& runs = runs_.at(key);
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      Shapes shapes;
      for (std::size_t i = begin; i < end; ++i) shapes.add(runs[i]);
      shapes.keep_commonest(kShapesMost);
      twin_.activities_forced += shapes.forced();
      step.branches.push_back(shapes.steps(material_, 1, warnings_));
      step.weights.push_back(end - begin);
      begin = end;
    }
    return step;
  }

  TwinStep every(HandlerClass& handled, std::size_t rare, std::size_t period, const HandlerKey& key) {
    const auto& shapes = handled.shapes.all();
    TwinStep step;
    step.what = Do::every;
    step.times = period;
    const Group& from = material_.groups.all[key.from];
    if (from.counted && from.members.size() == period) step.times_group = from.name;
    step.steps = shapes[rare].steps(material_, group_.members.size(), warnings_);
    step.otherwise = shapes[1 - rare].steps(material_, group_.members.size(), warnings_);
    return step;
  }

  const Material& material_;
  const Group& group_;
  const ProgramContext& context_;
  TwinGroup& twin_;
  Warnings& warnings_;
  std::map<HandlerKey, HandlerClass> classes_;
  std::map<HandlerKey, std::vector<TokenRun>> runs_;  // of a group of one, as they came
};

// ---- admission

// A process that takes requests only while fewer than so many are unanswered: it waits for fewer groups then.
void find_admission(const Material& material, const Group& group, TwinGroup& twin) {
  const std::uint32_t p = group.members.front();
  if (group.members.size() != 1) return;
  const auto& ops = material.recording.lives[p].ops;
  const Conduct& conduct = material.conducts.of[p];
  std::set<std::uint32_t> from;
  for (const Activity& activity : conduct.activities)
    if (activity.trigger != kNone && ops[activity.trigger].peer != kNone)
      from.insert(material.groups.of[ops[activity.trigger].peer]);
  for (const std::uint32_t limited : from) {
    std::uint64_t taken = 0, full = 0;
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> by_taken;  // open receives: all, without `limited`
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      const bool concerns = ops[i].peer != kNone && material.groups.of[ops[i].peer] == limited;
      if (ops[i].kind == OpKind::receive && !conduct.waits[i]) {
        const auto waited = groups_waited_for(material.recording, material.groups, p, ops[i]);
        auto& [all, without] = by_taken[taken];
        ++all;
        if (!waited.empty() && waited.count(limited) == 0) ++without, ++full;
      }
      if (concerns && ops[i].kind == OpKind::receive && !conduct.waits[i]) ++taken;
      if (concerns && ops[i].kind == OpKind::send && taken > 0) --taken;
    }
    if (full == 0) continue;
    std::uint64_t limit = 0, agreeing = 0, all_receives = 0;
    for (const auto& [number, counts] : by_taken)
      if (limit == 0 && counts.second * 2 > counts.first) limit = number;
    for (const auto& [number, counts] : by_taken) {
      all_receives += counts.first;
      agreeing += number >= limit ? counts.second : counts.first - counts.second;
    }
    if (limit == 0 || static_cast<double>(agreeing) < kAgree * static_cast<double>(all_receives)) continue;
    twin.program.admits_from = material.groups.all[limited].name;
    twin.program.admits_at_most = limit;
    return;
  }
}

}  // namespace

void make_program(const Material& material, const Group& group, const ProgramContext& context, TwinGroup& twin,
                  Warnings& warnings) {
  for (const std::uint32_t p : group.members) {
    const Life& life = material.recording.lives[p];
    twin.messages += life.ops.size();
    twin.activities += material.conducts.of[p].activities.size();
    twin.cpu_s += static_cast<double>(life.tail_cpu_ns) * 1e-9;
    for (const Op& op : life.ops) twin.cpu_s += static_cast<double>(op.cpu_ns) * 1e-9;
  }
  if (group.members.size() == 1 && !material.conducts.of[group.members.front()].only_start) {
    if (auto steps = find_dispatching(material, group.members.front(), warnings)) {
      twin.program.start = std::move(*steps);
      twin.starts_requests = true;
      return;
    }
  }
  std::vector<TokenRun> starts;
  HandlerWriter handlers(material, group, context, twin, warnings);
  bool any_start = false, any_handler = false;
  for (const std::uint32_t p : group.members) {
    const auto& activities = material.conducts.of[p].activities;
    const Activity& start = activities.front();
    starts.push_back(tokens_of(material, p, start.begin, start.end, start.tail_cpu_ns, false));
    any_start = any_start || !starts.back().tokens.empty() || starts.back().tail_cpu_s > 0;
    for (std::size_t i = 1; i < activities.size(); ++i) {
      handlers.add(p, activities[i]);
      any_handler = true;
    }
  }
  if (any_start) twin.program.start = StartWriter(material, group, twin, warnings).write(starts);
  handlers.write();
  find_admission(material, group, twin);
  twin.starts_requests = any_start && !any_handler && !twin.program.start.empty();
}

bool tell_kinds_by_size(const Recording& recording, const Groups& groups, const Conducts& conducts, Kinds& kinds) {
  constexpr std::size_t kSizesMost = 32;
  constexpr double kExplained = 0.3;  // of the variance of CPU times
  constexpr double kExplainsForm = 0.9;
  struct Sizes {
    double n = 0, sum = 0, squares = 0;
    std::map<std::string, std::uint64_t> forms;
  };
  struct Of {
    std::map<std::uint32_t, Sizes> by_size;
  };
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Of> classes;  // from, to, code
  const Material material{recording, groups, kinds, conducts};
  for (std::uint32_t p = 0; p < recording.lives.size(); ++p) {
    for (const Activity& activity : conducts.of[p].activities) {
      if (activity.trigger == kNone) continue;
      const Op& trigger = recording.lives[p].ops[activity.trigger];
      if (trigger.peer == kNone) continue;
      const TokenRun run = tokens_of(material, p, activity.begin, activity.end, activity.tail_cpu_ns, activity.stops);
      auto& by_size = classes[{groups.of[trigger.peer], groups.of[p], trigger.code}].by_size;
      if (by_size.size() > kSizesMost) continue;
      Sizes& sizes = by_size[trigger.bytes];
      const double cpu_s = run.cpu_s();
      sizes.n += 1;
      sizes.sum += cpu_s;
      sizes.squares += cpu_s * cpu_s;
      ++sizes.forms[run.key()];
    }
  }
  bool any = false;
  for (const auto& [key, of] : classes) {
    if (of.by_size.size() < 2 || of.by_size.size() > kSizesMost) continue;
    double n = 0, sum = 0, squares = 0, between = 0, usual = 0;
    std::map<std::string, std::uint64_t> forms;
    for (const auto& [size, sizes] : of.by_size) {
      n += sizes.n;
      sum += sizes.sum;
      squares += sizes.squares;
      between += sizes.sum * sizes.sum / sizes.n;
      std::uint64_t most = 0;
      for (const auto& [form, count] : sizes.forms) {
        most = std::max(most, count);
        forms[form] += count;
      }
      usual += static_cast<double>(most);
    }
    if (n < 5 * static_cast<double>(of.by_size.size())) continue;
    std::uint64_t most = 0;
    for (const auto& [form, count] : forms) most = std::max(most, count);
    const double all = squares - sum * sum / n;
    // By chance alone sizes explain (sizes - 1) / n of the variance.
    const double by_chance = static_cast<double>(of.by_size.size()) / n;
    const bool explains_time = all > 0 && (between - sum * sum / n) / all > kExplained + by_chance;
    const double unusual = n - static_cast<double>(most);
    const bool explains_form = unusual > 0.02 * n && (n - usual) < (1 - kExplainsForm) * unusual;
    if (!explains_time && !explains_form) continue;
    const auto& [from, to, code] = key;
    kinds.tell_by_size(from, to, code);
    any = true;
  }
  return any;
}

}  // namespace dpm::twin
