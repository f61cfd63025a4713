#include "answers/find/find_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answers/find/selection.hpp"
#include "answers/results/ledger_results.hpp"
#include "text/number_text.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMedian = .5, kHigh = .95;

double seconds_of(double ns) { return ns * 1e-9; }

std::string process_name(ProcessId process, const TraceInfo& info) {
  return process.value < info.processes.size() ? info[process].name : "";
}

std::string cell_of(const Item& item, const ItemField& field, const TraceInfo& info) {
  if (is_name(field.type)) return name_in(item, field, info);
  const std::int64_t amount = item.*field.amount;
  if (amount == Item::kUnknown) return "-";
  return field.type == FieldType::time ? seconds_text(seconds_of(static_cast<double>(amount))) : std::to_string(amount);
}

Json value_of(const Item& item, const ItemField& field, const TraceInfo& info) {
  if (is_name(field.type)) {
    const std::string name = name_in(item, field, info);
    return name.empty() ? Json() : Json(name);
  }
  const std::int64_t amount = item.*field.amount;
  if (amount == Item::kUnknown) return {};
  return field.type == FieldType::time ? Json(seconds_of(static_cast<double>(amount))) : Json(amount);
}

std::string key_of(const ItemField& field) {
  return std::string(field.name) + (field.type == FieldType::time ? "_s" : "");
}

RowLimit row_limit(FoundLimit limit, std::size_t count) { return {limit.shown_of(count), "--limit 0"}; }

std::string bar_text(std::uint64_t count, std::uint64_t most) {
  constexpr std::uint64_t kLongest = 30;
  return std::string((count * kLongest + most - 1) / most, '#');
}

std::string histogram_text(const Edge& edge, const TraceInfo& info, int width) {
  TextTable table({fmt::format("{} to {}", process_name(edge.from, info), process_name(edge.to, info)), ">count", " "});
  const auto buckets = edge.latencies.by_power();
  std::uint64_t most = 1;
  for (const auto& bucket : buckets) most = std::max(most, bucket.count);
  for (const auto& bucket : buckets)
    table.add_row({fmt::format("{} to {}", seconds_text(seconds_of(static_cast<double>(bucket.from_ns))),
                               seconds_text(seconds_of(static_cast<double>(bucket.to_ns)))),
                   std::to_string(bucket.count), bar_text(bucket.count, most)});
  return table.empty() ? "" : "\n" + table.to_text(width);
}

}  // namespace

std::string items_text(std::span<const Item> items, ItemKind kind, const TraceInfo& info, FoundLimit limit, int width) {
  std::vector<std::string> headings;
  for (const ItemField& field : fields_of(kind))
    if (field.is_column) headings.push_back((is_name(field.type) ? "" : ">") + std::string(field.name));
  TextTable table(std::move(headings));
  const std::size_t shown = limit.shown_of(items.size());
  for (const Item& item : items.first(shown)) {
    std::vector<std::string> cells;
    for (const ItemField& field : fields_of(kind))
      if (field.is_column) cells.push_back(cell_of(item, field, info));
    table.add_row(std::move(cells));
  }
  return table.to_text(width) + more_rows_text(items.size(), row_limit(limit, items.size()));
}

Json items_json(std::span<const Item> items, ItemKind kind, const TraceInfo& info, FoundLimit limit,
                const Ledger& ledger) {
  Json rows = Json::array();
  for (const Item& item : items.first(limit.shown_of(items.size()))) {
    Json row;
    for (const ItemField& field : fields_of(kind))
      if (field.end != ItemEnd::either) row[key_of(field)] = value_of(item, field, info);
    rows.push_back(std::move(row));
  }
  return {
      {"kind", name_of(kind)}, {"found", items.size()}, {"items", std::move(rows)}, {"ledger", ledger_json(ledger)}};
}

std::string edges_text(std::span<const Edge> edges, ItemKind kind, const TraceInfo& info, FoundLimit limit, int width) {
  TextTable table({"from", "to", ">" + std::string(name_of(kind)), ">median", ">95 %", ">longest"}, {}, 2);
  std::string histograms;
  for (const Edge& edge : edges.first(limit.shown_of(edges.size()))) {
    const auto time_text = [&](double ns) { return edge.latencies.count() == 0 ? "-" : seconds_text(seconds_of(ns)); };
    table.add_row({process_name(edge.from, info), process_name(edge.to, info), std::to_string(edge.items),
                   time_text(edge.latencies.quantile_ns(kMedian)), time_text(edge.latencies.quantile_ns(kHigh)),
                   time_text(static_cast<double>(edge.latencies.max_ns()))});
    histograms += histogram_text(edge, info, width);
  }
  return table.to_text(width) + more_rows_text(edges.size(), row_limit(limit, edges.size())) + histograms;
}

Json edges_json(std::span<const Edge> edges, ItemKind kind, const TraceInfo& info, FoundLimit limit,
                const Ledger& ledger) {
  Json rows = Json::array();
  for (const Edge& edge : edges.first(limit.shown_of(edges.size()))) {
    Json histogram = Json::array();
    for (const auto& bucket : edge.latencies.by_power())
      histogram.push_back({{"from_s", seconds_of(static_cast<double>(bucket.from_ns))},
                           {"to_s", seconds_of(static_cast<double>(bucket.to_ns))},
                           {"count", bucket.count}});
    const auto latency = [&](double ns) { return edge.latencies.count() == 0 ? Json() : Json(seconds_of(ns)); };
    rows.push_back({{"from", process_name(edge.from, info)},
                    {"to", process_name(edge.to, info)},
                    {"count", edge.items},
                    {"with_latency", edge.latencies.count()},
                    {"median_s", latency(edge.latencies.quantile_ns(kMedian))},
                    {"p95_s", latency(edge.latencies.quantile_ns(kHigh))},
                    {"longest_s", latency(static_cast<double>(edge.latencies.max_ns()))},
                    {"histogram", std::move(histogram)}});
  }
  return {{"kind", name_of(kind)}, {"edges", edges.size()}, {"rows", std::move(rows)}, {"ledger", ledger_json(ledger)}};
}

}  // namespace dpm::cli
