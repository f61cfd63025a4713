// The entries of a TraceInfo's tables as JSON: the same in trace.json (sidecar.hpp) and in the NAMES of a meter stream
// (meter_names.hpp). What is read is checked; errors are thrown as WrongContent, or as nlohmann_json's own exceptions,
// and caught by the two files that include this one.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "model/trace_info.hpp"
#include "trace/json_number.hpp"

namespace dpm::info_json {

using Json = nlohmann::ordered_json;

struct WrongContent {
  std::string what;
};

void require(bool condition, const std::string& what);

template <typename Number>
Json id_to_json(Number id) {
  return id.is_none() ? Json() : Json(id.value);
}

template <typename IdType>
IdType id_from_json(const Json& json, std::size_t table_size, const char* what) {
  if (json.is_null()) return IdType{};
  const auto value = whole_number<std::uint64_t>(json);
  require(value < table_size,
          std::string(what) + " " + std::to_string(value) + " is not in its table of " + std::to_string(table_size));
  IdType id;
  id.value = static_cast<decltype(id.value)>(value);
  return id;
}

template <typename Number>
Number number(const Json& json, const char* key) {
  const auto value = whole_number<std::uint64_t>(json.at(key));
  require(value <= std::numeric_limits<Number>::max(), std::string("'") + key + "' is too large");
  return static_cast<Number>(value);
}

// Properties that only live programs have are omitted where they are empty.
Json to_json(const MachineInfo& machine);
Json to_json(const ProcessInfo& process);
Json to_json(const ChannelInfo& channel);
Json to_json(const CodeModule& module);
Json to_json(const WaitCause& cause);
Json to_json(const PrimitiveEvent& event);
Json end_to_json(const ChannelEnd& end);
// The names of the properties that hold.
Json to_json(const SourceProperties& properties);

// Ids are checked against the sizes of the tables they refer to.
MachineInfo machine_from_json(const Json& json);
ProcessInfo process_from_json(const Json& json, std::size_t processes, std::size_t machines);
ChannelInfo channel_from_json(const Json& json, std::size_t processes, std::size_t machines);
CodeModule module_from_json(const Json& json, std::size_t processes);
WaitCause wait_cause_from_json(const Json& json, std::size_t processes);
PrimitiveEvent primitive_event_from_json(const Json& json);
ChannelEnd end_from_json(const Json& json, std::size_t machines);
// `described` has a "source". Traces of before sources stated their properties have only that: they follow from it.
SourceProperties properties_from_json(const Json& described);

}  // namespace dpm::info_json
