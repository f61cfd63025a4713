#include "scenarios/document/json_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace dpm {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLineWidth = 120;

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
      text += fmt::format("\n{}{}", std::string(indent, ' '), line);
      line.clear();
    }
    line += item;
  }
  return fmt::format("{}\n{}{}]", text, std::string(indent, ' '), line);
}

std::string in_lines(const Json& node, std::size_t indent, bool breaks = false) {
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
    text += in_lines(value, indent + 2);
  }
  return fmt::format("{}\n{}{}", text, std::string(indent, ' '), (node.is_array() ? "]" : "}"));
}

}  // namespace

std::string laid_out(const Json& part, std::size_t indent) { return in_lines(part, indent); }

std::string laid_out(const Json& document) { return in_lines(document, 0, true) + "\n"; }

}  // namespace dpm
