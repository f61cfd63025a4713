// Items and edges as tables and as JSON, with the same numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "answers/find/edges.hpp"
#include "answers/find/item.hpp"
#include "model/ledger.hpp"
#include "model/trace_info.hpp"

namespace dpm::cli {

// Of `count` items, 0 is all.
struct FoundLimit {
  std::size_t rows = 0;

  std::size_t shown_of(std::size_t count) const { return rows == 0 || rows > count ? count : rows; }
};

std::string items_text(std::span<const Item> items, ItemKind kind, const TraceInfo& info, FoundLimit limit, int width);
nlohmann::ordered_json items_json(std::span<const Item> items, ItemKind kind, const TraceInfo& info, FoundLimit limit,
                                  const Ledger& ledger);

// A histogram for each edge. `kind`: of what; it has latencies.
std::string edges_text(std::span<const Edge> edges, ItemKind kind, const TraceInfo& info, FoundLimit limit, int width);
nlohmann::ordered_json edges_json(std::span<const Edge> edges, ItemKind kind, const TraceInfo& info, FoundLimit limit,
                                  const Ledger& ledger);

}  // namespace dpm::cli
