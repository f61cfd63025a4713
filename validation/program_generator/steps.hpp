// The steps of docs/scenarios.md as the generator writes them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace dpm::validation {

using Json = nlohmann::ordered_json;

// Braces around one step may be read as the step itself.
inline Json list_of(Json steps) { return steps.is_array() ? std::move(steps) : Json::array({std::move(steps)}); }

inline Json compute(Json seconds) { return {{"compute_s", std::move(seconds)}}; }

inline Json send(const std::string& kind, const std::string& to, Json bytes, const std::string& pick = "random") {
  return {{"send", kind}, {"to", to}, {"bytes", std::move(bytes)}, {"pick", pick}};
}

inline Json call(const std::string& kind, const std::string& to, Json bytes, const std::string& pick = "random") {
  return {{"call", kind}, {"to", to}, {"bytes", std::move(bytes)}, {"pick", pick}};
}

inline Json forward(const std::string& kind, const std::string& to, const std::string& pick = "random") {
  return {{"forward", kind}, {"to", to}, {"pick", pick}};
}

inline Json reply(const std::string& kind, Json bytes) { return {{"reply", kind}, {"bytes", std::move(bytes)}}; }

inline Json wait(const std::string& kind, const std::string& from, std::uint64_t count = 1) {
  return {{"wait", kind}, {"from", from}, {"count", count}};
}

inline Json repeat(std::uint64_t times, Json steps) { return {{"repeat", times}, {"do", list_of(std::move(steps))}}; }

inline Json add_one(const std::string& variable) { return {{"count", variable}, {"by", 1}}; }

inline Json set(const std::string& variable, std::uint64_t value) { return {{"set", variable}, {"value", value}}; }

inline Json if_at_least(const std::string& variable, std::uint64_t value, Json then, Json otherwise = Json::array()) {
  return {
      {"if", variable}, {"at_least", value}, {"do", list_of(std::move(then))}, {"else", list_of(std::move(otherwise))}};
}

inline Json stop() { return {{"stop", true}}; }

inline Json on(const std::string& kind, Json steps) { return {{"kind", kind}, {"do", list_of(std::move(steps))}}; }

inline Json with_probability(Json step, double probability) {
  step["probability"] = probability;
  return step;
}

// One branch, by weight: choose({{3, steps}, {1, steps}}).
inline Json choose(const std::vector<std::pair<std::uint64_t, Json>>& branches) {
  Json list = Json::array();
  for (const auto& [weight, steps] : branches) list.push_back({{"weight", weight}, {"do", list_of(steps)}});
  return {{"choose", std::move(list)}};
}

}  // namespace dpm::validation
