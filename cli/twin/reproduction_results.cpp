#include "cli/twin/reproduction_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/counted.hpp"
#include "text/number_text.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using twin::Reproduced;
using twin::Reproduction;

constexpr std::size_t kPairsShown = 20;

double share_of(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

std::string share_text(const Reproduced& pair) {
  if (pair.in_trace == 0) return "-";
  return percent(share_of(std::min(pair.in_trace, pair.in_twin), pair.in_trace), 1);
}

}  // namespace

std::string reproduction_text(const Reproduction& reproduction, int width) {
  TextTable table({"messages from", "to", ">in the trace", ">in the twin", ">reproduced"});
  const std::size_t shown = std::min(reproduction.pairs.size(), kPairsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const Reproduced& pair = reproduction.pairs[i];
    table.add_row({pair.from, pair.to, std::to_string(pair.in_trace), std::to_string(pair.in_twin), share_text(pair)});
  }
  if (shown < reproduction.pairs.size()) {
    Reproduced others;
    for (std::size_t i = shown; i < reproduction.pairs.size(); ++i) {
      others.in_trace += reproduction.pairs[i].in_trace;
      others.in_twin += std::min(reproduction.pairs[i].in_twin, reproduction.pairs[i].in_trace);
    }
    table.add_row({fmt::format("{} other pairs", reproduction.pairs.size() - shown), "",
                   std::to_string(others.in_trace), std::to_string(others.in_twin), share_text(others)});
  }
  std::string text = table.to_text(width);
  text += "\nthe twin makes " + std::to_string(reproduction.reproduced) + " of " +
          counted(reproduction.in_trace, "message") +
          (reproduction.surplus > 0 ? " and " + std::to_string(reproduction.surplus) + " others" : "") + ", " +
          percent(reproduction.share(), 1) + "; T " + seconds_text(reproduction.T_twin_s) + " of " +
          seconds_text(reproduction.T_trace_s) + "; elapsed " + seconds_text(reproduction.elapsed_twin_s) + " of " +
          seconds_text(reproduction.elapsed_trace_s) + "\n";
  return text;
}

nlohmann::ordered_json reproduction_json(const Reproduction& reproduction, const twin::Bounds& bounds) {
  using Json = nlohmann::ordered_json;
  Json pairs = Json::array();
  for (const Reproduced& pair : reproduction.pairs)
    pairs.push_back({{"from", pair.from}, {"to", pair.to}, {"in_trace", pair.in_trace}, {"in_twin", pair.in_twin}});
  return {{"messages_in_trace", reproduction.in_trace},
          {"messages_reproduced", reproduction.reproduced},
          {"messages_surplus", reproduction.surplus},
          {"share", reproduction.share()},
          {"share_at_least", bounds.messages},
          {"T_trace_s", reproduction.T_trace_s},
          {"T_twin_s", reproduction.T_twin_s},
          {"T_error", reproduction.T_error()},
          {"T_error_at_most", bounds.T_error},
          {"elapsed_trace_s", reproduction.elapsed_trace_s},
          {"elapsed_twin_s", reproduction.elapsed_twin_s},
          {"ended", reproduction.ended},
          {"pairs", std::move(pairs)},
          {"lacks", reproduction.lacks}};
}

}  // namespace dpm::cli
