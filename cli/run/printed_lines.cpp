#include "cli/run/printed_lines.hpp"

#include <nlohmann/json.hpp>

#include "text/printable.hpp"

namespace dpm::cli {

std::string printed_text(std::span<const PrintedLine> lines) {
  std::string text;
  for (const auto& line : lines) text += line.process + ": " + printable(line.text) + "\n";
  return text;
}

nlohmann::ordered_json printed_json(std::span<const PrintedLine> lines) {
  auto document = nlohmann::ordered_json::array();
  for (const auto& line : lines) document.push_back({{"process", line.process}, {"line", line.text}});
  return document;
}

}  // namespace dpm::cli
