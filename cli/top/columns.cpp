#include "cli/top/columns.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "text/characters.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

std::string queue_text(const ProcessRates& row) { return row.queued ? std::to_string(*row.queued) : "-"; }

}  // namespace

const std::vector<TopColumn>& top_columns() {
  static const std::vector<TopColumn> columns = {
      {"% CPU", 6, [](const ProcessRates& row) { return row.rates.cpu; },
       [](const ProcessRates& row) { return fmt::format("{:.1f}", row.rates.cpu * 100); }},
      {"sent/s", 7, [](const ProcessRates& row) { return row.rates.sent; },
       [](const ProcessRates& row) { return short_number(row.rates.sent); }},
      {"recv/s", 7, [](const ProcessRates& row) { return row.rates.received; },
       [](const ProcessRates& row) { return short_number(row.rates.received); }},
      {"B out/s", 7, [](const ProcessRates& row) { return row.rates.sent_bytes; },
       [](const ProcessRates& row) { return short_number(row.rates.sent_bytes); }},
      {"B in/s", 7, [](const ProcessRates& row) { return row.rates.received_bytes; },
       [](const ProcessRates& row) { return short_number(row.rates.received_bytes); }},
      {"queue", 5, [](const ProcessRates& row) { return row.queued ? static_cast<double>(*row.queued) : -1; },
       queue_text},
      {"waits for", 12, [](const ProcessRates& row) { return static_cast<double>(row.doing); },
       [](const ProcessRates& row) { return waits_text(row); }},
      {"CPU s", 8, [](const ProcessRates& row) { return static_cast<double>(row.cpu_ns); },
       [](const ProcessRates& row) { return fmt::format("{:.2f}", static_cast<double>(row.cpu_ns) * 1e-9); }},
      {"sent", 7, [](const ProcessRates& row) { return static_cast<double>(row.sent); },
       [](const ProcessRates& row) { return short_number(static_cast<double>(row.sent)); }},
      {"received", 8, [](const ProcessRates& row) { return static_cast<double>(row.received); },
       [](const ProcessRates& row) { return short_number(static_cast<double>(row.received)); }},
  };
  return columns;
}

std::string short_number(double value) {
  static constexpr std::array kUnits = {"", "k", "M", "G", "T", "P"};
  std::size_t unit = 0;
  while (value >= 9999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  const bool is_whole = value >= 99.95 || value == std::floor(value);
  return is_whole ? fmt::format("{:.0f}{}", value, kUnits[unit]) : fmt::format("{:.1f}{}", value, kUnits[unit]);
}

std::string doing_text(Doing doing) {
  switch (doing) {
    case Doing::not_known:
      return "-";
    case Doing::waits_for_message:
      return "message";
    case Doing::ended:
      return "ended";
  }
  return "-";
}

std::string waits_text(const ProcessRates& row) {
  return row.waits_for.empty() ? doing_text(row.doing) : printable(row.waits_for);
}

std::string padded_right(const std::string& text, std::size_t width) {
  const std::size_t count = character_count(text);
  return count >= width ? text : text + std::string(width - count, ' ');
}

std::string padded_left(const std::string& text, std::size_t width) {
  const std::size_t count = character_count(text);
  return count >= width ? text : std::string(width - count, ' ') + text;
}

}  // namespace dpm::cli
