#include "cli/results/ledger_results.hpp"

#include <nlohmann/json.hpp>

#include "cli/text_table.hpp"

namespace dpm::cli {

void print_ledger(const Ledger& ledger, Terminal& terminal) {
  terminal.err << "ledger: " << ledger.seen << " seen = " << ledger.kept << " kept + " << ledger.filtered
               << " filtered + " << ledger.lost << " lost\n";
  for (const auto& loss : ledger.losses)
    terminal.err << "lost: " << loss.events << " events: " << printable(loss.reason) << '\n';
  for (const auto& warning : ledger.warnings) terminal.err << "warning: " << printable(warning) << '\n';
}

nlohmann::ordered_json ledger_json(const Ledger& ledger) {
  nlohmann::ordered_json losses = nlohmann::ordered_json::array();
  for (const auto& loss : ledger.losses) losses.push_back({{"reason", loss.reason}, {"events", loss.events}});
  return {{"seen", ledger.seen}, {"kept", ledger.kept},         {"filtered", ledger.filtered},
          {"lost", ledger.lost}, {"losses", std::move(losses)}, {"warnings", ledger.warnings}};
}

}  // namespace dpm::cli
