#include "answers/results/ledger_results.hpp"

#include <nlohmann/json.hpp>

#include "model/counted.hpp"
#include "model/unchecked.hpp"
#include "text/printable.hpp"

namespace dpm::cli {

void print_ledger(const Ledger& ledger, Terminal& terminal) {
  terminal.err << "ledger: " << ledger.seen << " seen = " << ledger.kept << " kept + " << ledger.filtered
               << " filtered + " << ledger.lost << " lost"
               << (has_not_checkable(ledger.warnings) ? " where it could be checked" : "");
  if (ledger.removed > 0) terminal.err << "; of the kept, " << ledger.removed << " were removed again by --window";
  terminal.err << '\n';
  for (const auto& loss : ledger.losses)
    terminal.err << "lost: " << counted(loss.events, "event") << ": " << printable(loss.reason) << '\n';
  for (const auto& warning : ledger.warnings)
    terminal.err << (is_not_checkable(warning) ? "" : "warning: ") << printable(warning) << '\n';
}

nlohmann::ordered_json ledger_json(const Ledger& ledger) {
  nlohmann::ordered_json losses = nlohmann::ordered_json::array();
  for (const auto& loss : ledger.losses) losses.push_back({{"reason", loss.reason}, {"events", loss.events}});
  nlohmann::ordered_json json = {{"seen", ledger.seen}, {"kept", ledger.kept},         {"filtered", ledger.filtered},
                                 {"lost", ledger.lost}, {"losses", std::move(losses)}, {"warnings", ledger.warnings}};
  if (ledger.removed > 0) json["removed"] = ledger.removed;
  return json;
}

}  // namespace dpm::cli
