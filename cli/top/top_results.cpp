#include "cli/top/top_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "answers/results/ledger_results.hpp"
#include "cli/top/columns.hpp"
#include "text/number_text.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

nlohmann::ordered_json rates_json(const Rates& rates) {
  return {{"cpu_per_s", rates.cpu},
          {"sent_per_s", rates.sent},
          {"sent_bytes_per_s", rates.sent_bytes},
          {"received_per_s", rates.received},
          {"received_bytes_per_s", rates.received_bytes}};
}

nlohmann::ordered_json process_json(const ProcessRates& process) {
  nlohmann::ordered_json json = {
      {"process", process.process.value}, {"name", process.name}, {"machine", process.machine}};
  json.update(rates_json(process.rates));
  json["cpu_s"] = static_cast<double>(process.cpu_ns) * 1e-9;
  json["sent"] = process.sent;
  json["sent_bytes"] = process.sent_bytes;
  json["received"] = process.received;
  json["received_bytes"] = process.received_bytes;
  json["queued"] = process.queued ? nlohmann::ordered_json(*process.queued) : nlohmann::ordered_json();
  json["doing"] =
      process.doing == Doing::not_known ? nlohmann::ordered_json() : nlohmann::ordered_json(doing_text(process.doing));
  json["waits_for"] = process.waits_for.empty() ? json["doing"] : nlohmann::ordered_json(process.waits_for);
  return json;
}

}  // namespace

std::string top_text(const TopNumbers& numbers, int width, bool all) {
  std::string text = fmt::format("{} {}; rates over {}\nP {:.2f} (run {:.2f}), {} messages/s, {}B/s\n\n",
                                 seconds_text(numbers.elapsed_s), numbers.is_over ? "in all" : "so far",
                                 seconds_text(numbers.period_s), numbers.P, numbers.P_of_run,
                                 short_number(numbers.messages), short_number(numbers.bytes));
  std::vector<std::string> headings = {"process", "machine"};
  for (const TopColumn& column : top_columns()) headings.push_back(std::string(">") + column.heading);
  TextTable table(headings, all ? RowLimit{} : RowLimit{kRowsShown});
  std::vector<const ProcessRates*> rows;
  for (const ProcessRates& process : numbers.processes) rows.push_back(&process);
  std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
    return a->rates.cpu != b->rates.cpu ? a->rates.cpu > b->rates.cpu : a->rates.sent > b->rates.sent;
  });
  for (const ProcessRates* row : rows) {
    std::vector<std::string> cells = {row->name, row->machine};
    for (const TopColumn& column : top_columns()) cells.push_back(column.text(*row));
    table.add_row(std::move(cells));
  }
  return text + table.to_text(width);
}

nlohmann::ordered_json top_json(const TopNumbers& numbers) {
  nlohmann::ordered_json json = {{"elapsed_s", numbers.elapsed_s}, {"is_over", numbers.is_over},
                                 {"period_s", numbers.period_s},   {"P", numbers.P},
                                 {"P_of_run", numbers.P_of_run},   {"messages_per_s", numbers.messages},
                                 {"bytes_per_s", numbers.bytes}};
  json.update(rates_json(numbers.all));
  json["processes"] = nlohmann::ordered_json::array();
  for (const ProcessRates& process : numbers.processes) json["processes"].push_back(process_json(process));
  json["messages"] = nlohmann::ordered_json::array();
  for (const PairRates& pair : numbers.pairs)
    json["messages"].push_back({{"from", pair.from.value},
                                {"to", pair.to.value},
                                {"messages_per_s", pair.messages},
                                {"bytes_per_s", pair.bytes}});
  json["ledger"] = ledger_json(numbers.ledger);
  return json;
}

}  // namespace dpm::cli
