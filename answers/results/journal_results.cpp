#include "answers/results/journal_results.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "text/number_text.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string moves_text(const std::vector<JournalMove>& moves) {
  std::string text;
  for (const auto& move : moves)
    text += fmt::format("{}{}: {} to {}", text.empty() ? "" : "; ", move.process, move.from, move.to);
  return text.empty() ? "-" : text;
}

std::string gain_text(const GainRange& range) {
  return fmt::format("{} ({} to {})", signed_percent(range.expected, 1), signed_percent(range.low, 1),
                     signed_percent(range.high, 1));
}

std::string journal_text(const std::vector<JournalEntry>& journal, int width) {
  TextTable table({">at", ">before", "move", ">predicted", ">interval", ">measured", "outcome", "reason"});
  for (const auto& entry : journal) {
    const auto measured = entry.measured_gain();
    table.add_row({significant(entry.at.seconds()) + " s", significant(entry.rate_before), moves_text(entry.moves),
                   entry.predicted ? signed_percent(entry.predicted->expected, 1) : "-",
                   entry.predicted ? fmt::format("{} to {}", signed_percent(entry.predicted->low, 1),
                                                 signed_percent(entry.predicted->high, 1))
                                   : "-",
                   measured ? signed_percent(*measured, 1) : "-", std::string(name_of(entry.outcome)), entry.reason});
  }
  return table.to_text(width);
}

Json journal_json(const std::vector<JournalEntry>& journal) {
  Json entries = Json::array();
  for (const auto& entry : journal) {
    Json moves = Json::array();
    for (const auto& move : entry.moves)
      moves.push_back({{"process", move.process}, {"from", move.from}, {"to", move.to}});
    Json document{{"at_s", entry.at.seconds()},
                  {"received_per_s_before", entry.rate_before},
                  {"moves", std::move(moves)},
                  {"outcome", name_of(entry.outcome)},
                  {"reason", entry.reason}};
    if (entry.predicted)
      document["predicted_gain"] = {
          {"expected", entry.predicted->expected}, {"low", entry.predicted->low}, {"high", entry.predicted->high}};
    if (entry.rate_after) document["received_per_s_after"] = *entry.rate_after;
    if (const auto measured = entry.measured_gain()) document["measured_gain"] = *measured;
    entries.push_back(std::move(document));
  }
  return entries;
}

}  // namespace dpm::cli
