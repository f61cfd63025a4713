#include "cli/meter/conclude.hpp"

#include <nlohmann/json.hpp>

#include "cli/report/trace_report.hpp"
#include "cli/results/ledger_results.hpp"
#include "cli/text_table.hpp"

namespace dpm::cli {
namespace {

Result<void> summarize(const OutputFolder& folder, const MeteredFacts& program, const Recorded& recorded,
                       Terminal& terminal) {
  const auto found = find_all(folder.trace(), HistoryOptions{});
  if (!found) return found.error();
  terminal.err << meter_summary(program, recorded, *found);
  const bool is_silent = found->statistics.sizes.messages == 0;  // the summary says so
  for (const auto& missing : found->missing)
    if (!is_silent) terminal.err << "warning: " << printable(missing) << '\n';
  print_ledger(recorded.ledger, terminal);
  if (!folder.is_kept()) return {};
  using Json = nlohmann::ordered_json;
  const Json results = metering_json(program, recorded, *found);
  if (auto done = write_new_file(folder.results(), results.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
      !done)
    return done;
  if (auto done = write_new_file(folder.report(), view::render_report(trace_report(*found))); !done) return done;
  terminal.err << "wrote " << printable(folder.path()) << ": trace, results.json, report.html\n";
  return {};
}

}  // namespace

Result<void> conclude(const OutputFolder& folder, const MeteredFacts& program, const Recorded& recorded,
                      Terminal& terminal) {
  auto done = summarize(folder, program, recorded, terminal);
  if (!folder.is_kept()) folder.remove();
  if (!done) return done;
  if (!recorded.failure.empty()) return Error{recorded.failure};
  return {};
}

}  // namespace dpm::cli
