#include "answers/results/places_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "model/process_names.hpp"
#include "text/text_table.hpp"
#include "trace/symbols/code_locations.hpp"

namespace dpm::cli {
namespace {

constexpr std::size_t kMostRows = 30;

// For a live program, the name of the process without the number that distinguishes equal names. The file that it runs
// may have another name: redis-server is a link to redis-check-rdb.
std::string program_name(const TraceInfo& info, ProcessId process) {
  if (info[process].program.find('/') == std::string::npos) return info[process].program;
  const ProcessId group = info[process].group;
  return std::string(without_number(info[group.is_none() ? process : group].name));
}

}  // namespace

std::vector<HotPlace> hot_places(const std::vector<CallSite>& sites, const TraceInfo& info) {
  CodeLocations code(info);
  std::map<std::pair<std::string, CodeLocation>, HotPlace> merged;
  for (const auto& site : sites) {
    CodeLocation place = code.find(site.process, site.pc);
    if (!place.function.empty()) place.module_offset = 0;  // all calls on one line are one place
    const std::string program = program_name(info, site.process);
    HotPlace& hot = merged[{program, place}];
    hot.program = program;
    hot.place = std::move(place);
    hot.sent += site.sent;
    hot.sent_bytes += site.sent_bytes;
    hot.received += site.received;
    hot.received_bytes += site.received_bytes;
  }
  std::vector<HotPlace> places;
  for (auto& [key, hot] : merged) places.push_back(std::move(hot));
  std::stable_sort(places.begin(), places.end(), [](const HotPlace& a, const HotPlace& b) {
    return std::tuple(a.messages(), a.sent_bytes + a.received_bytes) >
           std::tuple(b.messages(), b.sent_bytes + b.received_bytes);
  });
  return places;
}

std::string places_text(const std::vector<HotPlace>& places, int width) {
  TextTable table({"program", "function", "source", ">sent", ">bytes sent", ">received", ">bytes received"});
  for (std::size_t i = 0; i < std::min(places.size(), kMostRows); ++i) {
    const HotPlace& hot = places[i];
    table.add_row({hot.program, function_text(hot.place), source_text(hot.place), std::to_string(hot.sent),
                   std::to_string(hot.sent_bytes), std::to_string(hot.received), std::to_string(hot.received_bytes)});
  }
  std::string text = table.to_text(width);
  if (places.size() > kMostRows) text += fmt::format("{} more places; --json has all\n", places.size() - kMostRows);
  return text;
}

nlohmann::ordered_json places_json(const std::vector<HotPlace>& places) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& hot : places)
    list.push_back({{"program", hot.program},
                    {"function", function_text(hot.place)},
                    {"source_file", hot.place.source_file},
                    {"line", hot.place.line},
                    {"module", hot.place.module},
                    {"sent", hot.sent},
                    {"sent_bytes", hot.sent_bytes},
                    {"received", hot.received},
                    {"received_bytes", hot.received_bytes}});
  return list;
}

}  // namespace dpm::cli
