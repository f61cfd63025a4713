#include "twin/handlers.hpp"

#include <algorithm>
#include <compare>
#include <map>

namespace dpm::twin {
namespace {

struct HandlerKey {
  std::string kind;
  std::uint32_t from = kNone;
  friend auto operator<=>(const HandlerKey&, const HandlerKey&) = default;
};

struct HandlerClass {
  Shapes shapes;
  std::map<std::uint32_t, std::vector<std::size_t>> order;  // by process: forms in the order in which they came
};

// n if form `rare` is that of every n-th time; otherwise 0.
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

// If the last activities of a process have forms that none before has: the number of those before. A process that
// counts, and does something else at the end, looks like this.
std::size_t end_of_first_phase(const std::vector<std::size_t>& order, std::size_t begin) {
  std::map<std::size_t, std::size_t> last;
  for (std::size_t i = begin; i < order.size(); ++i) last[order[i]] = i;
  std::size_t boundary = begin;  // everything before it has forms that do not come later
  for (std::size_t i = begin; i < order.size(); ++i) {
    boundary = std::max(boundary, last[order[i]] + 1);
    if (i + 1 == boundary) return boundary;
  }
  return order.size();
}

class HandlerWriter {
 public:
  HandlerWriter(const Material& material, const Group& group, const ProgramContext& context, TwinGroup& twin,
                std::vector<std::string>& warnings)
      : material_(material), group_(group), context_(context), twin_(twin), warnings_(warnings) {}

  void add(std::uint32_t process, const Activity& activity) {
    const Operation& trigger = material_.recording.records[process].operations[activity.trigger];
    if (trigger.peer == kNone || material_.groups.of[trigger.peer] == kNone) return;
    const HandlerKey key{material_.kinds.of(trigger.peer, process, trigger), material_.groups.of[trigger.peer]};
    HandlerClass& handled = classes_[key];
    const TokenRun run = tokens_of(material_, process, activity, activity.stops);
    handled.order[process].push_back(handled.shapes.add(run));
    if (group_.members.size() == 1) runs_[key].push_back(run);
  }

  void write() {
    const std::uint64_t last = context_.closed_loop ? 0 : messages_until_end();
    for (auto& [key, handled] : classes_) {
      if (context_.closed_loop || group_.members.size() > 1) drop_chance_stops(key, handled);
      Handler handler{{{key.kind}}, {material_.groups.all[key.from].name}, {}};
      std::size_t rare = 0, period = 0;
      for (std::size_t form = 0; form < 2 && period == 0 && handled.shapes.all().size() == 2; ++form) {
        rare = form;
        period = period_of(handled, form);
      }
      const bool in_order =
          material_.in_order && group_.members.size() == 1 && handled.shapes.all().size() <= kShapesInOrderMost;
      const auto ends = in_order ? std::vector<std::size_t>{} : phases_of(handled);
      if (in_order) {
        twin_.activities_once += handled.shapes.once();
        add_unreceived_messages(key, handled);
        handler.steps = handled.shapes.steps_in_order(material_, handled.order.begin()->second, warnings_);
      } else if (period > 0) {
        handler.steps = every_time(handled, rare, period, key);
      } else if (ends.size() > 1) {
        handler.steps = phases(key, ends);
      } else {
        if (handled.shapes.all().size() > kShapesMost) handled.shapes.keep_commonest(kShapesMost);
        twin_.activities_forced += handled.shapes.forced();
        handler.steps = handled.shapes.steps(material_, group_.members.size(), warnings_);
      }
      if (last > 0) append(handler.steps, end_after("handled", last));
      twin_.program.handlers.push_back(std::move(handler));
    }
    if (last > 0 && !classes_.empty()) twin_.program.variables.push_back("handled");
  }

 private:
  // Messages that are sent to the process and that it did not take cause nothing, whichever of them it takes in the
  // twin.
  void add_unreceived_messages(const HandlerKey& key, HandlerClass& handled) {
    const std::uint32_t process = group_.members.front();
    TokenRun nothing;
    nothing.process = process;
    for (const std::uint32_t sender : material_.groups.all[key.from].members)
      for (const Operation& operation : material_.recording.records[sender].operations)
        if (operation.kind == OperationKind::send && operation.match == kNone && operation.peer == process &&
            material_.kinds.of(sender, process, operation) == key.kind)
          handled.order[process].push_back(handled.shapes.add(nothing));
  }

  // A process that ends after a message like earlier ones has counted its messages, of all kinds: returns how many; 0
  // if it does not. The message it ended after then becomes one like the others.
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

  // A service that ends with the run happens to end after some message: that is not its behaviour.
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
        runs[at].tail_slept_s += runs[at].tokens.back().slept_s;
        runs[at].tokens.pop_back();
      }
      for (auto& [process, order] : handled.order) std::replace(order.begin(), order.end(), i, *without);
    }
    handled.shapes.drop_empty(handled.order);
  }

  // Where phases end, if there are several; only of a group of one, because each member would have its own.
  std::vector<std::size_t> phases_of(const HandlerClass& handled) const {
    constexpr std::size_t kPhasesMost = 4;
    if (handled.order.size() != 1) return {};
    const auto& order = handled.order.begin()->second;
    std::vector<std::size_t> ends;
    for (std::size_t begin = 0; begin < order.size();) {
      begin = end_of_first_phase(order, begin);
      ends.push_back(begin);
    }
    // A first request unlike the others is a phase, and so is an end; more phases are chance.
    if (ends.size() > kPhasesMost) return {};
    // With more clients, the last phase would go on without end; unless it is the end.
    const bool ends_itself = handled.shapes.all()[order.back()].stops();
    return context_.closed_loop && !ends_itself ? std::vector<std::size_t>{} : ends;
  }

  std::string new_counter() {
    auto& variables = twin_.program.variables;
    return variables.emplace_back("seen_" + std::to_string(variables.size() + 1));
  }

  Steps phases(const HandlerKey& key, const std::vector<std::size_t>& ends) {
    std::vector<Phase> phases;
    const auto& runs = runs_.at(key);
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      Shapes shapes;
      for (std::size_t i = begin; i < end; ++i) shapes.add(runs[i]);
      shapes.keep_commonest(kShapesMost);
      twin_.activities_forced += shapes.forced();
      phases.push_back({end - begin, shapes.steps(material_, 1, warnings_)});
      begin = end;
    }
    return in_phases(new_counter(), std::move(phases));
  }

  Steps every_time(HandlerClass& handled, std::size_t rare, std::size_t period, const HandlerKey& key) {
    const auto& shapes = handled.shapes.all();
    Value at_least = period;
    const Group& from = material_.groups.all[key.from];
    if (from.counted && from.members.size() == period) at_least.written = "$" + from.name + "_count";
    return every(new_counter(), at_least, shapes[rare].steps(material_, group_.members.size(), warnings_),
                 shapes[1 - rare].steps(material_, group_.members.size(), warnings_));
  }

  const Material& material_;
  const Group& group_;
  const ProgramContext& context_;
  TwinGroup& twin_;
  std::vector<std::string>& warnings_;
  std::map<HandlerKey, HandlerClass> classes_;
  std::map<HandlerKey, std::vector<TokenRun>> runs_;  // of a group of one, as they came
};

}  // namespace

void write_handlers(const Material& material, const Group& group, const ProgramContext& context, TwinGroup& twin,
                    std::vector<std::string>& warnings) {
  HandlerWriter handlers(material, group, context, twin, warnings);
  for (const std::uint32_t p : group.members) {
    const auto& activities = material.behaviours.of[p].activities;
    for (std::size_t i = 1; i < activities.size(); ++i) handlers.add(p, activities[i]);
  }
  handlers.write();
}

}  // namespace dpm::twin
