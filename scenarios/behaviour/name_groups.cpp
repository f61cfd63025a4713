#include "scenarios/behaviour/name_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace dpm {
namespace {

constexpr std::size_t kLongestName = 200;

bool is_name(const std::string& name) {
  const auto may_have = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; };
  return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), may_have);
}

}  // namespace

const std::vector<std::string>& NameGroups::add(const Reading& reading, const JsonNode& at, const std::string& name,
                                                std::optional<std::uint64_t> count) {
  auto made = std::make_shared<std::vector<std::string>>();
  const bool is_new = !name.empty() && members_.count(name) == 0 && taken_.count(name) == 0;
  if (!name.empty() && !is_name(name)) {
    reading.problem(at,
                    fmt::format("a {}'s name has letters, digits, '_', '-' and '.', and at most 200 of them", noun_));
  } else if (!is_new) {
    if (!name.empty()) reading.problem(at, fmt::format("there are two of the name '{}'", name));
  } else if (all_.size() + count.value_or(1) > static_cast<std::uint64_t>(kLargestCount)) {
    reading.problem(at, fmt::format("more than 100000 of a kind; make '{}' smaller", name));
  } else if (!count) {
    made->push_back(name);
  } else {
    for (std::uint64_t i = 1; i <= *count; ++i) made->push_back(fmt::format("{}_{}", name, i));
  }
  for (const auto& member : *made) {
    if (!taken_.insert(member).second || (count && members_.count(member) != 0))
      reading.problem(at, fmt::format("there are two of the name '{}'", member));
    all_.push_back(member);
  }
  static const std::vector<std::string> kNone;
  if (!is_new) return kNone;
  return *(members_[name] = std::move(made));
}

ProcessNames NameGroups::find(const Reading& reading, const JsonNode& at, const std::string& name,
                              const std::string& what) const {
  if (name.empty() || all_.empty()) return nullptr;  // reported: there are none at all
  const auto group = members_.find(name);
  if (group != members_.end()) return group->second;
  if (taken_.count(name) != 0) return std::make_shared<std::vector<std::string>>(1, name);
  std::vector<std::string> names;
  for (const auto& [known, members] : members_) names.push_back(known);
  reading.problem(at, fmt::format("{}: no {} '{}'{}", what, noun_, name, hint(name, names)));
  return nullptr;
}

void NameGroups::check_one(const Reading& reading, const JsonNode& at, const std::string& name,
                           const std::string& what) const {
  if (find(reading, at, name, what) != nullptr && taken_.count(name) == 0)
    reading.problem(at, fmt::format("{}: '{}' is a group; name one {}, as '{}_1'", what, name, noun_, name));
}

std::vector<std::string> NameGroups::expand(const Reading& reading, const JsonNode& node,
                                            const std::string& what) const {
  std::vector<std::string> result;
  const auto add = [&](const JsonNode& item) {
    const ProcessNames members = find(reading, item, reading.name(item, what), what);
    if (members != nullptr) result.insert(result.end(), members->begin(), members->end());
  };
  if (node.is(JsonKind::list)) {
    for (const auto& item : node.items) add(item);
  } else {
    add(node);
  }
  return result;
}

}  // namespace dpm
