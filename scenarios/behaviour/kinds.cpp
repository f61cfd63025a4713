#include "scenarios/behaviour/kinds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/behaviour/step_tables.hpp"

namespace dpm {
namespace {

constexpr double kLargestCode = 4294967294.0;

}  // namespace

void Kinds::read(const JsonNode* kinds, const JsonNode* programs, const Reading& reading) {
  if (kinds != nullptr && reading.expect(*kinds, JsonKind::object, "'kinds'")) {
    for (const auto& member : kinds->members) {
      const auto code = static_cast<std::uint32_t>(
          reading.whole(member.value, fmt::format("the code of '{}'", member.key), Range{0, kLargestCode}));
      if (!used_.insert(code).second) reading.problem(member.value, "two kinds have the code " + std::to_string(code));
      codes_[member.key] = code;
    }
  }
  if (programs != nullptr) collect(*programs);
  std::map<std::uint32_t, std::string> by_code;
  for (const auto& [name, code] : codes_) by_code.emplace(code, name);
  names_by_code_ = std::make_shared<const std::map<std::uint32_t, std::string>>(std::move(by_code));
}

// Kinds stand behind these keys wherever they occur; what is not a kind there is refused later, by its own reader.
void Kinds::collect(const JsonNode& node) {
  for (const auto& item : node.items) collect(item);
  for (const auto& member : node.members) {
    if (member.key == kCarried.key) {
      for (const auto& carried : member.value.members)
        if (std::find(carried_.begin(), carried_.end(), carried.key) == carried_.end()) carried_.push_back(carried.key);
      continue;
    }
    if (keys_of_kinds().count(member.key) != 0) {
      add(member.value);
      for (const auto& item : member.value.items) add(item);
    }
    collect(member.value);
  }
}

void Kinds::add(const JsonNode& kind) {
  if (!kind.is(JsonKind::text) || codes_.count(kind.text) != 0) return;
  std::uint32_t code = static_cast<std::uint32_t>(codes_.size()) + 1;
  while (!used_.insert(code).second) ++code;
  codes_[kind.text] = code;
}

std::uint32_t Kinds::code_of(const std::string& kind) const {
  const auto found = codes_.find(kind);
  return found == codes_.end() ? 0 : found->second;
}

std::vector<std::string> Kinds::names() const {
  std::vector<std::string> names;
  for (const auto& [name, code] : codes_) names.push_back(name);
  return names;
}

}  // namespace dpm
