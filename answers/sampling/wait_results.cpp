#include "answers/sampling/wait_results.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "text/number_text.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {

std::string waits_text(const sampling::WaitPlaces& waits, int width) {
  TextTable table({"process", "state", "descriptors", "other ends", ">samples", ">share"},
                  RowLimit{kRowsShown, "--json"});
  for (const auto& place : waits.all())
    table.add_row({printable(place.process), std::string(sampling::info_of(place.state).label), place.descriptors,
                   printable(fmt::format("{}", fmt::join(place.others, ", "))), std::to_string(place.samples),
                   percent(static_cast<double>(place.samples) / static_cast<double>(waits.samples()), 1)});
  if (table.empty()) return "waits at descriptors: none was found\n";
  return "waits at descriptors, and the processes at the other ends\n" + table.to_text(width);
}

nlohmann::ordered_json waits_json(const sampling::WaitPlaces& waits) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& place : waits.all())
    rows.push_back({{"process", place.process},
                    {"state", sampling::info_of(place.state).name},
                    {"descriptors", place.descriptors},
                    {"other_ends", place.others},
                    {"samples", place.samples}});
  return rows;
}

}  // namespace dpm::cli
