#include "control/controller/flag_names.hpp"

#include <algorithm>

#include "model/lower_case.hpp"

namespace dpm::control {
namespace {

std::string name_of_flag(EventType type) {
  switch (type) {
    case EventType::create_process:
      return "fork";
    case EventType::destroy_process:
      return "termproc";
    case EventType::destroy_path:
      return "destsocket";
    default:
      break;
  }
  return lower_case(name_of(type));
}

}  // namespace

std::vector<std::string> flag_names() {
  std::vector<std::string> names = {"fork",   "termproc", "send",       "receivecall", "receive",
                                    "socket", "dup",      "destsocket", "accept",      "connect"};
  for (const auto type : kEventTypes) {
    const std::string name = name_of_flag(type);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  names.emplace_back("immediate");
  return names;
}

std::string flag_words(MeterFlags flags) {
  std::string text;
  for (const auto type : kEventTypes)
    if (flags.has(type)) text += (text.empty() ? "" : " ") + name_of_flag(type);
  if (flags.immediate()) text += text.empty() ? "immediate" : " immediate";
  return text.empty() ? "none" : text;
}

}  // namespace dpm::control
