// Steps of docs/scenarios.md that services need and steps.hpp of the other generator does not write.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include "validation/program_generator/steps.hpp"

namespace dpm::validation {

inline Json pause(Json seconds) { return {{"sleep_s", std::move(seconds)}}; }

inline Json if_kind(const std::string& kind, Json then, Json otherwise = Json::array()) {
  return {{"if_kind", kind}, {"do", list_of(std::move(then))}, {"else", list_of(std::move(otherwise))}};
}

inline Json wait_for_any(std::initializer_list<const char*> kinds) {
  Json list = Json::array();
  for (const char* kind : kinds) list.push_back(kind);
  return {{"wait", std::move(list)}};
}

// A call or a wait that gives up.
inline Json within(Json step, double timeout_s, Json on_timeout) {
  step["timeout_s"] = timeout_s;
  step["on_timeout"] = list_of(std::move(on_timeout));
  return step;
}

// To the member of a group to which the key belongs.
inline Json by_key(Json step, Json key) {
  step["pick"] = "by_key";
  step["key"] = std::move(key);
  return step;
}

// A handler for the messages of one process or group.
inline Json on_from(const std::string& kind, const std::string& from, Json steps) {
  return {{"kind", kind}, {"from", from}, {"do", list_of(std::move(steps))}};
}

}  // namespace dpm::validation
