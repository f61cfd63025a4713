#include "model/meter_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/lower_case.hpp"
#include "model/nearest_name.hpp"

namespace dpm {
namespace {

std::vector<std::string> valid_flags() {
  std::vector<std::string> names = {"all", "immediate"};
  for (const auto name : event_type_names()) names.push_back(lower_case(name));
  return names;
}

// The metering report writes METERSEND (section 4.1) and M_SEND (appendix C) for what its users call send (4.3).
std::string without_prefix(const std::string& name) {
  for (const std::string_view prefix : {"m_", "meter"})
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  return name;
}

std::string_view trim(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

MeterFlags MeterFlags::all() {
  MeterFlags flags;
  for (const auto type : kEventTypes) flags.set(type, true);
  return flags;
}

Result<MeterFlags> apply_flags(MeterFlags flags, std::string_view list) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    std::string_view word = trim(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
    if (word.empty()) continue;
    const bool on = word.front() != '-';
    if (!on) word.remove_prefix(1);
    const std::string name = without_prefix(lower_case(word));
    if (name == "all") {
      for (const auto type : kEventTypes) flags.set(type, on);
    } else if (name == "immediate") {
      flags.set_immediate(on);
    } else if (const auto type = event_type_from_name(name)) {
      flags.set(*type, on);
    } else {
      return Error{fmt::format("no meter flag '{}'{}", word, did_you_mean(name, valid_flags()))};
    }
  }
  return flags;
}

std::string to_string(MeterFlags flags) {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : ",") + word; };
  for (const auto type : kEventTypes)
    if (flags.has(type)) add(lower_case(name_of(type)));
  if (flags.immediate()) add("immediate");
  return text.empty() ? "none" : text;
}

}  // namespace dpm
