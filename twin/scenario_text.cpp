// The file that `dpm twin` writes. What people change stands at its top: how many there are of each group, and how
// often clients do what they do.
#include "twin/scenario_text.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace dpm::twin {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLineWidth = 120;
constexpr std::uint64_t kMessagesMost = 100;  // times those of the trace: a run that makes more has no end

// ---- layout

bool is_plain(const Json& node) {
  return !node.is_structured() ||
         (node.is_array() && std::none_of(node.begin(), node.end(), [](const Json& i) { return i.is_structured(); }));
}

std::string spaced(const Json& node) {
  if (!node.is_structured()) return node.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string text = node.is_array() ? "[" : "{";
  bool first = true;
  for (const auto& [key, value] : node.items()) {
    if (!first) text += ", ";
    first = false;
    if (node.is_object()) text += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
    text += spaced(value);
  }
  return text + (node.is_array() ? "]" : "}");
}

std::string numbers_in_lines(const Json& list, std::size_t indent) {
  std::string text = "[", line;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string item = spaced(list[i]) + (i + 1 < list.size() ? ", " : "");
    if (!line.empty() && indent + line.size() + item.size() > kLineWidth) {
      text += "\n" + std::string(indent, ' ') + line;
      line.clear();
    }
    line += item;
  }
  return text + "\n" + std::string(indent, ' ') + line + "]";
}

std::string laid_out(const Json& node, std::size_t indent, bool breaks = false) {
  const std::string in_a_line = spaced(node);
  if (!node.is_structured() || node.empty()) return in_a_line;
  if (!breaks && indent + in_a_line.size() <= kLineWidth) return in_a_line;
  if (node.is_array() && is_plain(node)) return numbers_in_lines(node, indent + 2);
  std::string text = node.is_array() ? "[" : "{";
  bool first = true;
  for (const auto& [key, value] : node.items()) {
    text += first ? "\n" : ",\n";
    first = false;
    text += std::string(indent + 2, ' ');
    if (node.is_object()) text += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
    text += laid_out(value, indent + 2);
  }
  return text + "\n" + std::string(indent, ' ') + (node.is_array() ? "]" : "}");
}

// ---- steps

// Nanoseconds and whole bytes: more digits would only look exact.
Json number(double value, bool whole) {
  if (whole) return static_cast<std::uint64_t>(std::llround(value));
  return std::round(value * 1e9) / 1e9;
}

Json quantity(const Measured& measured, bool whole) {
  if (measured.values.empty()) return 0;
  if (measured.is_constant()) return number(measured.values.front(), whole);
  Json values = Json::array();
  for (const double value : measured.values) values.push_back(number(value, whole));
  Json result = {{"measured", std::move(values)}};
  if (!measured.counts.empty()) result["weights"] = measured.counts;
  if (measured.counts.empty() && measured.each > 1) result["weights"] = measured.each;
  return result;
}

class StepWriter {
 public:
  explicit StepWriter(Json& parameters) : parameters_(parameters) {}

  Json list(const std::vector<TwinStep>& steps) {
    Json result = Json::array();
    for (const auto& step : steps) {
      Json written = one(step);
      if (written.is_array()) {
        for (auto& item : written) result.push_back(std::move(item));
      } else {
        result.push_back(std::move(written));
      }
    }
    return result;
  }

  // The variables that the steps use.
  Json variables() const {
    Json variables = Json::object();
    for (std::size_t i = 1; i <= counters_; ++i) variables["seen_" + std::to_string(i)] = 0;
    if (ends_) variables["handled"] = 0;
    return variables;
  }

 private:
  Json one(const TwinStep& step) {
    switch (step.what) {
      case Do::compute:
        return {{"compute_s", quantity(step.amount, false)}};
      case Do::send: {
        Json send = {{"send", step.kind}, {"to", step.group}};
        if (!step.pick.empty()) send["pick"] = step.pick;
        send["bytes"] = quantity(step.amount, true);
        return send;
      }
      case Do::wait: {
        Json wait = {{"wait", step.kind}};
        if (!step.group.empty()) wait["from"] = step.group;
        if (step.times > 1) wait["count"] = step.times;
        return wait;
      }
      case Do::choose:
        return choose(step);
      case Do::repeat:
        return repeat(step);
      case Do::dispatch:
        return dispatch(step);
      case Do::stop:
        return {{"stop", true}};
      case Do::every:
        return every(step);
      case Do::phases:
        return phases(step);
      case Do::end_after:
        ends_ = true;
        return Json::array(
            {Json{{"count", "handled"}},
             Json{{"if", "handled"}, {"at_least", step.times}, {"do", Json::array({Json{{"stop", true}}})}}});
    }
    return {};
  }

  Json choose(const TwinStep& step) {
    Json branches = Json::array();
    for (std::size_t i = 0; i < step.branches.size(); ++i)
      branches.push_back({{"weight", step.weights[i]}, {"do", list(step.branches[i])}});
    if (step.order.empty()) return {{"choose", std::move(branches)}, {"dealt", true}};
    Json order = Json::array(), times = Json::array();
    for (std::size_t i = 0; i < step.order.size();) {
      std::size_t end = i;
      while (end < step.order.size() && step.order[end] == step.order[i]) ++end;
      order.push_back(step.order[i] + 1);
      times.push_back(end - i);
      i = end;
    }
    return {{"choose", std::move(branches)}, {"in_order", std::move(order)}, {"times", std::move(times)}};
  }

  Json repeat(const TwinStep& step) {
    Json times = step.times;
    if (!step.times_parameter.empty()) {
      parameters_[step.times_parameter] = {{"default", step.times}, {"meaning", "how often each does what it repeats"}};
      times = "$" + step.times_parameter;
    }
    return {{"repeat", times}, {"do", list(step.steps)}};
  }

  Json dispatch(const TwinStep& step) {
    Json result;
    if (step.tasks.size() == 1) {
      result["dispatch"] = step.tasks.front().kind;
    } else {
      Json tasks = Json::array();
      for (std::size_t i = 0; i < step.tasks.size(); ++i)
        tasks.push_back({{"kind", step.tasks[i].kind},
                         {"bytes", quantity(step.tasks[i].amount, true)},
                         {"weight", step.weights[i]}});
      result["dispatch"] = std::move(tasks);
    }
    result["to"] = step.group;
    if (step.tasks.size() == 1) result["bytes"] = quantity(step.tasks.front().amount, true);
    result["tasks"] = step.times;
    result["in_flight"] = step.in_flight;
    result["answer"] = step.answer;
    if (!step.steps.empty()) result["first"] = list(step.steps);
    if (!step.otherwise.empty()) result["next"] = list(step.otherwise);
    if (!step.rest.empty()) result["rest"] = list(step.rest);
    return result;
  }

  Json phases(const TwinStep& step) {
    const std::string counter = "seen_" + std::to_string(++counters_);
    std::uint64_t before = 0;
    for (std::size_t i = 0; i + 1 < step.weights.size(); ++i) before += step.weights[i];
    Json inner = list(step.branches.back());
    for (std::size_t i = step.branches.size() - 1; i > 0; --i) {
      Json test = {{"if", counter}, {"at_least", before + 1}, {"do", std::move(inner)}};
      test["else"] = list(step.branches[i - 1]);
      inner = Json::array({std::move(test)});
      before -= step.weights[i - 1];
    }
    Json steps = Json::array({Json{{"count", counter}}});
    for (auto& item : inner) steps.push_back(std::move(item));
    return steps;
  }

  Json every(const TwinStep& step) {
    const std::string counter = "seen_" + std::to_string(++counters_);
    Json at_least = step.times;
    if (!step.times_group.empty()) at_least = "$" + step.times_group + "_count";
    Json when = Json::array({Json{{"set", counter}}});
    for (auto& item : list(step.steps)) when.push_back(std::move(item));
    Json test = {{"if", counter}, {"at_least", at_least}, {"do", std::move(when)}};
    if (!step.otherwise.empty()) test["else"] = list(step.otherwise);
    return Json::array({Json{{"count", counter}}, std::move(test)});
  }

  Json& parameters_;
  std::size_t counters_ = 0;
  bool ends_ = false;
};

Json program_of(const TwinGroup& group, Json& parameters) {
  StepWriter writer(parameters);
  Json program = Json::object();
  Json start = writer.list(group.program.start);
  Json handlers = Json::array();
  for (const auto& handler : group.program.handlers)
    handlers.push_back({{"kind", handler.kind}, {"from", handler.from}, {"do", writer.list(handler.steps)}});
  for (const auto& unread : group.program.unread) {
    if (handlers.empty()) {
      Json wait = {{"wait", unread.kind}, {"from", unread.from}};
      start.push_back({{"repeat", 0}, {"do", Json::array({std::move(wait)})}});
    } else {
      handlers.push_back({{"kind", unread.kind}, {"from", unread.from}, {"do", Json::array()}});
    }
  }
  if (Json variables = writer.variables(); !variables.empty()) program["variables"] = std::move(variables);
  if (!group.program.admits_from.empty())
    program["admits"] = {{"from", group.program.admits_from}, {"at_most", group.program.admits_at_most}};
  if (!start.empty() || handlers.empty()) program["start"] = std::move(start);
  if (!handlers.empty()) program["on"] = std::move(handlers);
  return program;
}

// ---- delays and machines

Json points_of(const PiecewiseLinear& line) {
  if (line.points().empty()) return 0;
  Json points = Json::array();
  for (const auto& [bytes, value] : line.points()) points.push_back(Json::array({bytes, number(value, false)}));
  return points;
}

Json delay_class(const DelayClass& delays) {
  Json result = {{"delivery_s", points_of(delays.delivery_s)}};
  if (!delays.sender_cpu_s.points().empty()) result["sender_cpu_s"] = points_of(delays.sender_cpu_s);
  if (!delays.receiver_cpu_s.points().empty()) result["receiver_cpu_s"] = points_of(delays.receiver_cpu_s);
  return result;
}

Json delays_of(const Twin& twin) {
  Json delays = {{"name", twin.delays.name.empty() ? "zero" : twin.delays.name},
                 {"local", delay_class(twin.delays.local)},
                 {"remote", delay_class(twin.delays.remote)}};
  Json pairs = Json::array();
  for (const auto& pair : twin.delays.pairs) {
    Json written = {{"machines", {pair.machine_a, pair.machine_b}}};
    written.update(delay_class(pair.delays));
    pairs.push_back(std::move(written));
  }
  if (!pairs.empty()) delays["pairs"] = std::move(pairs);
  return delays;
}

// Machines desk_1 .. desk_n that the members of one group have, each its own: as many as there are members.
std::string family_of(const Twin& twin, const TwinGroup& group) {
  if (!group.counted || group.machines.size() != group.count || twin.delays.pairs.size() > 0) return "";
  const std::string& first = group.machines.front();
  if (first.size() < 3 || first.substr(first.size() - 2) != "_1") return "";
  const std::string base = first.substr(0, first.size() - 2);
  for (std::size_t i = 0; i < group.machines.size(); ++i)
    if (group.machines[i] != base + "_" + std::to_string(i + 1)) return "";
  std::size_t in_family = 0;
  for (const auto& machine : twin.machines) in_family += machine.name.compare(0, base.size() + 1, base + "_") == 0;
  if (in_family != group.machines.size()) return "";
  for (const auto& other : twin.groups)
    if (other.name != group.name)
      for (const auto& machine : other.machines)
        if (machine.compare(0, base.size() + 1, base + "_") == 0) return "";
  const auto& model = twin.machines;
  const auto same = [&](const auto& machine) {
    return machine.name.compare(0, base.size() + 1, base + "_") != 0 || (machine.speed == 1 && machine.cores == 1);
  };
  return std::all_of(model.begin(), model.end(), same) ? base : "";
}

Json machine_of(const TwinMachine& machine) {
  if (machine.speed == 1 && machine.cores == 1) return machine.name;
  Json result = {{"name", machine.name}};
  if (machine.speed != 1) result["speed"] = machine.speed;
  if (machine.cores != 1) result["cores"] = machine.cores;
  return result;
}

bool is_of(const std::string& machine, const std::string& family) {
  return machine.compare(0, family.size() + 1, family + "_") == 0;
}

}  // namespace

std::string scenario_text(const Twin& twin) {
  Json parameters = Json::object(), machines = Json::array(), programs = Json::object(), processes = Json::array();
  std::set<std::string> families;
  for (const auto& group : twin.groups) {
    const std::string family = family_of(twin, group);
    const std::string count = group.name + "_count";
    if (group.counted) parameters[count] = {{"default", group.count}, {"meaning", "processes " + group.name}};
    programs[group.name] = program_of(group, parameters);
    Json process = {{"name", group.name}};
    if (group.counted) process["count"] = "$" + count;
    process["program"] = group.name;
    if (!family.empty()) {
      families.insert(family);
      machines.push_back({{"name", family}, {"count", "$" + count}});
      process["machine"] = family;
    } else {
      const bool one = std::all_of(group.machines.begin(), group.machines.end(),
                                   [&](const auto& machine) { return machine == group.machines.front(); });
      process["machine"] = one ? Json(group.machines.front()) : Json(group.machines);
    }
    if (!group.in_computation) process["in_computation"] = false;
    processes.push_back(std::move(process));
  }
  for (const auto& machine : twin.machines) {
    const bool in_family = std::any_of(families.begin(), families.end(),
                                       [&](const std::string& family) { return is_of(machine.name, family); });
    if (!in_family) machines.push_back(machine_of(machine));
  }
  Json scenario = {{"name", twin.name},
                   {"summary", "Made by dpm twin from " + std::to_string(twin.events) + " events."}};
  if (!parameters.empty()) scenario["parameters"] = std::move(parameters);
  scenario["machines"] = std::move(machines);
  scenario["delays"] = delays_of(twin);
  if (twin.services_finish) {
    scenario["services_finish"] = true;
    // A change may make services send to each other without end.
    scenario["message_limit"] = kMessagesMost * twin.expected.all_messages() + 10000;
  }
  if (!twin.codes.empty()) {
    Json kinds = Json::object();
    for (const auto& [kind, code] : twin.codes) kinds[kind] = code;
    scenario["kinds"] = std::move(kinds);
  }
  scenario["programs"] = std::move(programs);
  scenario["processes"] = std::move(processes);
  scenario["analyses"] = {"statistics", "queues", "parallelism"};
  return laid_out(scenario, 0, true) + "\n";
}

}  // namespace dpm::twin
