#include "answers/results/sql_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answers/results/ledger_results.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CellText {
  std::string operator()(std::monostate) const { return "-"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::string& value) const { return printable(value); }
};

struct CellJson {
  Json operator()(std::monostate) const { return {}; }
  template <typename Value>
  Json operator()(const Value& value) const {
    return value;
  }
};

bool has_text(const SqlRows& found, std::size_t column) {
  return std::any_of(found.rows.begin(), found.rows.end(),
                     [&](const auto& row) { return std::holds_alternative<std::string>(row[column]); });
}

}  // namespace

std::string sql_text(const SqlRows& found, int width) {
  std::vector<std::string> headings;
  for (std::size_t c = 0; c < found.columns.size(); ++c)
    headings.push_back((!has_text(found, c) ? ">" : c > 0 ? "~" : "") + printable(found.columns[c]));
  TextTable table(std::move(headings));
  for (const auto& row : found.rows) {
    std::vector<std::string> cells;
    for (const SqlValue& value : row) cells.push_back(std::visit(CellText(), value));
    table.add_row(std::move(cells));
  }
  return table.to_text(width) + (found.are_all ? "" : "and more (--limit 0 shows them)\n");
}

Json sql_json(const SqlRows& found, const Ledger& ledger) {
  Json rows = Json::array();
  for (const auto& row : found.rows) {
    Json values = Json::array();
    for (const SqlValue& value : row) values.push_back(std::visit(CellJson(), value));
    rows.push_back(std::move(values));
  }
  return {{"columns", found.columns},
          {"rows", std::move(rows)},
          {"are_all", found.are_all},
          {"ledger", ledger_json(ledger)}};
}

}  // namespace dpm::cli
