#include "scenarios/behaviour/program_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/behaviour/program_tables.hpp"
#include "scenarios/behaviour/step_reader.hpp"

namespace dpm {
namespace {

std::vector<std::string> read_variables(ObjectReader& program, const char* key, std::vector<double>& first_values,
                                        const Reading& reading) {
  std::vector<std::string> names;
  const JsonNode* node = program.find(key);
  if (node == nullptr || !reading.expect(*node, JsonKind::object, fmt::format("'{}'", key))) return names;
  for (const auto& member : node->members) {
    names.push_back(member.key);
    first_values.push_back(reading.number(member.value, fmt::format("'{}'", member.key), kAnyNumber));
  }
  return names;
}

// "to" may name a list, a process or a group, so their names differ.
std::vector<std::string> read_subscriptions(const JsonNode& node, const Reading& reading, const NameGroups& processes) {
  std::vector<std::string> names;
  if (!reading.expect(node, JsonKind::list, "'subscriptions'")) return names;
  for (const auto& item : node.items) {
    const std::string name = reading.text(item, "every item of 'subscriptions'");
    if (name == "sender" || name == "any" || processes.has(name) ||
        std::find(names.begin(), names.end(), name) != names.end())
      reading.problem(item, fmt::format("'subscriptions': the name '{}' has another meaning already", name));
    names.push_back(name);
  }
  return names;
}

Admission read_admission(const JsonNode& node, const Reading& reading, const NameGroups& processes) {
  ObjectReader object(node, program_tables().admission, reading);
  Admission admission;
  admission.at_most = object.whole("at_most", 1, Range{1, 1e9});
  object.need("at_most");
  if (const auto* from = object.need("from"))
    admission.from = processes.find(reading, *from, reading.name(*from, "'from'"), "'from'");
  return admission;
}

bool takes_all_from(const Handler& handler, const ProcessNames& senders) {
  const ProcessNames& from = handler.from.processes;
  if (from == nullptr || senders == nullptr) return from == nullptr;
  return std::all_of(senders->begin(), senders->end(), [&](const std::string& sender) {
    return std::find(from->begin(), from->end(), sender) != from->end();
  });
}

bool takes_kind(const Handler& handler, const KindName& kind) {
  return std::any_of(handler.kinds.begin(), handler.kinds.end(),
                     [&](const KindName& taken) { return taken.any || (!kind.any && taken.code == kind.code); });
}

// The first handler that matches is used, so one before which others take each of its kinds from all of its senders never is.
void check_that_each_can_run(const std::vector<Handler>& handlers, const JsonNode& on, const Reading& reading) {
  for (std::size_t i = 1; i < handlers.size(); ++i) {
    std::size_t last = 0;
    const bool all_taken = std::all_of(handlers[i].kinds.begin(), handlers[i].kinds.end(), [&](const KindName& kind) {
      const auto earlier = std::find_if(
          handlers.begin(), handlers.begin() + static_cast<std::ptrdiff_t>(i), [&](const Handler& handler) {
            return takes_kind(handler, kind) && takes_all_from(handler, handlers[i].from.processes);
          });
      last = std::max(last, static_cast<std::size_t>(earlier - handlers.begin()));
      return last < i;
    });
    if (all_taken && !handlers[i].kinds.empty())
      reading.problem(on.items[i], fmt::format("this handler never runs: the one at line {} takes its messages first",
                                               on.items[last].line));
  }
}

}  // namespace

InFileProgram read_program(const JsonNode& node, const Reading& reading, const Kinds& kinds,
                           const NameGroups& processes) {
  InFileProgram program;
  program.behaviour = std::make_shared<Behaviour>();
  Behaviour& behaviour = *program.behaviour;
  behaviour.kinds = kinds.names_by_code();
  ObjectReader object(node, program_tables().program, reading);
  object.text("summary", "");
  object.find("parameters");  // the loader has made an environment of them
  StepReader steps(reading, kinds, processes, program);
  auto variables = read_variables(object, "variables", behaviour.variables, reading);
  auto of_request = read_variables(object, "request_variables", behaviour.request_variables, reading);
  for (const std::string& name : of_request)
    if (std::find(variables.begin(), variables.end(), name) != variables.end())
      reading.problem(*object.find("request_variables"), fmt::format("'{}' is one of 'variables', too", name));
  steps.set_variables(std::move(variables), std::move(of_request));
  if (const auto* subscriptions = object.find("subscriptions")) {
    auto names = read_subscriptions(*subscriptions, reading, processes);
    behaviour.subscriptions = names.size();
    steps.set_subscriptions(std::move(names));
  }
  behaviour.per_request = object.flag("per_request", false);
  if (const auto* admits = object.find("admits")) behaviour.admission = read_admission(*admits, reading, processes);
  const JsonNode* start = object.find("start");
  const JsonNode* on = object.find("on");
  if (start == nullptr && on == nullptr && node.is(JsonKind::object))
    reading.problem(node, "a program needs 'start', 'on' or both");
  if (start != nullptr) behaviour.start = steps.read_steps(*start, "'start'");
  if (on != nullptr && reading.expect(*on, JsonKind::list, "'on'")) {
    for (const auto& handler : on->items) behaviour.handlers.push_back(steps.read_handler(handler));
    behaviour.has_priorities = std::any_of(behaviour.handlers.begin(), behaviour.handlers.end(),
                                           [](const Handler& handler) { return handler.priority.has_value(); });
    check_that_each_can_run(behaviour.handlers, *on, reading);
  }
  if (const auto* queue = object.find("queue")) {
    behaviour.queue = steps.read_queue(*queue);
    if (on == nullptr)
      reading.problem(*queue, "'queue' needs 'on': it is about the messages that wait for the handlers");
  }
  if (const auto* idle = object.find("idle")) {
    behaviour.idle = steps.read_idle(*idle);
    if (on == nullptr)
      reading.problem(*idle, "'idle' needs 'on': it is about the time between messages for the handlers");
  }
  return program;
}

}  // namespace dpm
