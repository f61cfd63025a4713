#include "scenarios/loader/program_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/nearest_name.hpp"

namespace dpm {
namespace {

// A program's parameter, of the kind its default has. Names that end in _s are seconds.
ParameterValue read_parameter(const JsonNode& node, const std::string& name, const ParameterValue& default_value,
                              const Reading& reading) {
  const std::string what = fmt::format("parameter '{}'", name);
  const bool is_time = name.size() > 2 && name.compare(name.size() - 2, 2, "_s") == 0;
  if (std::holds_alternative<double>(default_value)) return reading.number(node, what, is_time ? kTime : kAnyNumber);
  if (std::holds_alternative<bool>(default_value)) return reading.flag(node, what);
  if (std::holds_alternative<std::string>(default_value)) return reading.name(node, what);
  return reading.numbers(node, what, is_time ? kTime : kAnyNumber);
}

}  // namespace

Program make_program(const std::string& name, const ProgramDescription& description, const JsonNode& at,
                     const JsonNode* parameters, const Reading& reading) {
  Parameters values;
  std::vector<std::string> names;
  for (const auto& parameter : description.parameters) {
    names.push_back(parameter.name);
    values.set(parameter.name, parameter.default_value);
  }
  if (parameters != nullptr && reading.expect(*parameters, JsonKind::object, "'parameters'")) {
    for (const auto& member : parameters->members) {
      const auto known = std::find(names.begin(), names.end(), member.key);
      if (known == names.end()) {
        reading.problems.add(member.line, fmt::format("program '{}' has no parameter '{}'{}", name, member.key,
                                                      hint(member.key, names)));
        continue;
      }
      const auto& parameter = description.parameters[static_cast<std::size_t>(known - names.begin())];
      values.set(member.key, read_parameter(member.value, member.key, parameter.default_value, reading));
    }
  }
  if (!reading.problems.empty()) return nullptr;
  try {
    return description.make(values);
  } catch (const std::invalid_argument& refused) {
    reading.problem(at, fmt::format("program '{}': {}", name, refused.what()));
    return nullptr;
  }
}

Environment parameters_of(const JsonNode& program, const JsonNode* parameters, const Reading& reading) {
  Environment environment{&reading.names, {}};
  std::vector<std::string> names;
  const JsonNode* defaults = program.find("parameters");
  if (defaults != nullptr && reading.expect(*defaults, JsonKind::object, "'parameters'")) {
    for (const auto& member : defaults->members) {
      names.push_back(member.key);
      const bool is_number = member.value.is(JsonKind::number);
      const ParameterValue kind = is_number ? ParameterValue(0.0) : ParameterValue(std::string());
      environment.values[member.key] = read_parameter(member.value, member.key, kind, reading);
    }
  }
  if (parameters == nullptr || !reading.expect(*parameters, JsonKind::object, "'parameters'")) return environment;
  for (const auto& member : parameters->members) {
    const auto known = environment.values.find(member.key);
    if (known == environment.values.end()) {
      reading.problems.add(member.line,
                           fmt::format("the program has no parameter '{}'{}", member.key, hint(member.key, names)));
    } else {
      known->second = read_parameter(member.value, member.key, known->second, reading);
    }
  }
  return environment;
}

}  // namespace dpm
