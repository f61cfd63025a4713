#include "cli/meter/conclude.hpp"

#include <nlohmann/json.hpp>

#include "answers/live/file_data.hpp"
#include "answers/report/trace_report.hpp"
#include "answers/results/ledger_results.hpp"
#include "text/printable.hpp"
#include "trace/files.hpp"

namespace dpm::cli {

Result<void> Conclusion::write(const Recorded& recorded, const Findings& found) const {
  if (!folder_.is_kept()) return {};
  using Json = nlohmann::ordered_json;
  const Json results = metering_json(program_, recorded, found);
  if (auto done = replace_file(folder_.results(), results.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
      !done)
    return done;
  return replace_file(folder_.report(), view::render_report(trace_report(found), file_data(folder_.trace())));
}

void Conclusion::say(const Recorded& recorded, const Findings& found) {
  terminal_.err << meter_summary(program_, recorded, found);
  const bool has_messages = found.statistics.sizes.messages > 0;  // otherwise the summary already reports none
  for (const auto& missing : found.missing)
    if (has_messages) terminal_.err << "warning: " << printable(missing) << '\n';
  print_ledger(recorded.ledger, terminal_);
}

void Conclusion::so_far(const Recorded& recorded, const std::vector<ProcessLeft>& left) {
  if (const auto found = find_all(folder_.trace(), {.blame = true})) {
    say(recorded, *found);
    const auto written = write(recorded, *found);
    if (!written) terminal_.err << "warning: " << printable(written.error().what) << '\n';
    if (written && folder_.is_kept())
      terminal_.err << "results so far are in " << printable(folder_.path()) << ": trace, results.json, report.html\n";
  }
  terminal_.err << "dpm: " << goes_on_line(left, program_.pid, afterwards_.control_c_ends_it) << '\n' << std::flush;
  was_said_ = true;
}

Result<void> Conclusion::at_end(const Recorded& recorded) {
  const auto found = find_all(folder_.trace(), {.blame = true});
  if (found && !(was_said_ && afterwards_.silent && folder_.is_kept())) say(recorded, *found);
  if (!found) {
    terminal_.err << meter_summary_without_trace(program_, recorded);
    print_ledger(recorded.ledger, terminal_);
  }
  Result<void> done = found ? write(recorded, *found) : found.error();
  if (!folder_.is_kept()) folder_.remove();
  if (!done) return done;
  if (folder_.is_kept() && !(was_said_ && afterwards_.silent))
    terminal_.err << "wrote " << printable(folder_.path()) << ": trace, results.json, report.html\n";
  if (!recorded.failure.empty()) return Error{recorded.failure};
  return {};
}

}  // namespace dpm::cli
