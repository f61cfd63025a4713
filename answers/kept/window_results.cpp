#include "answers/kept/window_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "text/number_text.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {

using Json = nlohmann::ordered_json;

std::vector<RunWindow> windows_of(const Json& page, std::size_t most) {
  std::vector<RunWindow> windows;
  if (!page.is_object()) return windows;
  const Json& levels = page.at("levels");
  const std::size_t bins = levels.at("bins");
  const double step_s = levels.at("step_s"), begin_s = levels.at("from_s");
  const std::size_t together = std::max<std::size_t>(1, (bins + most - 1) / most);
  for (std::size_t bin = 0; bin < bins; bin += together)
    windows.push_back({begin_s + static_cast<double>(bin) * step_s,
                       begin_s + static_cast<double>(std::min(bins, bin + together)) * step_s});
  std::set<std::uint64_t> outside;
  for (const Json& process : page.at("answers").at("describe").at("processes"))
    if (!process.at("in_computation").get<bool>()) outside.insert(process.at("id").get<std::uint64_t>());
  const auto add = [&](const Json& row, const char* list, auto&& member) {
    for (std::size_t i = 0; i < row.at("at").size(); ++i)
      member(windows.at(row.at("at")[i].get<std::size_t>() / together)) += row.at(list)[i].get<double>();
  };
  for (const Json& process : levels.at("processes"))
    if (!outside.contains(process.at("process").get<std::uint64_t>()))
      add(process, "cpu_s", [](RunWindow& window) -> double& { return window.P; });
  for (const Json& pair : levels.at("pairs")) {
    add(pair, "messages", [](RunWindow& window) -> double& { return window.messages; });
    add(pair, "bytes", [](RunWindow& window) -> double& { return window.bytes; });
  }
  for (RunWindow& window : windows) window.P /= window.to_s - window.from_s;
  return windows;
}

std::string windows_text(const std::vector<RunWindow>& windows, int width) {
  if (windows.empty()) return "";
  TextTable table({">from", ">to", ">P", ">messages a second", ">bytes a second"});
  for (const RunWindow& window : windows) {
    const double span_s = window.to_s - window.from_s;
    table.add_row({seconds_text(window.from_s), seconds_text(window.to_s), fixed(window.P, 2),
                   fixed(window.messages / span_s, 1), fixed(window.bytes / span_s, 0)});
  }
  return table.to_text(width);
}

Json windows_json(const std::vector<RunWindow>& windows) {
  Json list = Json::array();
  for (const RunWindow& window : windows)
    list.push_back({{"from_s", window.from_s},
                    {"to_s", window.to_s},
                    {"P", window.P},
                    {"messages", window.messages},
                    {"bytes", window.bytes}});
  return list;
}

}  // namespace dpm::cli
