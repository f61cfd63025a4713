// dpm report: the results of all analyses of a trace on one self-contained page.
#include <nlohmann/json.hpp>

#include "answers/kept/results_file.hpp"
#include "answers/live/file_data.hpp"
#include "answers/report/trace_report.hpp"
#include "answers/results/ledger_results.hpp"
#include "cli/command.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "os/new_file.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

class ReportCommand : public Command {
 public:
  std::string name() const override { return "report"; }
  std::string summary() const override { return "One self-contained HTML page about a trace"; }
  std::string example() const override { return "dpm report out/trace -o report.html"; }

  void describe(Options& options) override {
    options.value("TRACE", trace_, "A trace directory, or the output directory of a run").required();
    options.value("-o,--output", output_, "The page to write; a file that exists is not overwritten").required();
    options.flag("--json", json_, "Print the name of the page and the ledger as JSON");
    describe_computation(options, computation_);
    describe_threads(options, threads_);
  }

  int run(Terminal& terminal) override {
    if (holds_results(trace_)) return write_kept(terminal);
    const auto found = find_all(trace_, {.history = computation_, .by_thread = threads_, .blame = true});
    if (!found) return refuse(terminal, *this, found.error());
    if (auto done = write_new_file(output_, view::render_report(trace_report(*found), file_data(trace_))); !done)
      return refuse(terminal, *this, done.error());
    if (json_)
      print_json({{"page", output_}, {"missing", found->missing}, {"ledger", ledger_json(found->input.ledger)}},
                 terminal);
    terminal.err << "wrote " << output_ << '\n';
    for (const auto& answer : found->missing) terminal.err << "warning: " << printable(answer) << '\n';
    print_ledger(found->input.ledger, terminal);
    return kDone;
  }

 private:
  // Of results that were kept instead of a trace: what the page shows without single events.
  int write_kept(Terminal& terminal) const {
    const auto kept = read_results(trace_);
    if (!kept) return refuse(terminal, *this, kept.error());
    view::ReportInput report;
    report.title = (*kept)->info.scenario;
    report.subtitle = "Results that were kept instead of a trace";
    report.facts = {{"source", (*kept)->info.source}};
    report.ledger = (*kept)->ledger;
    report.made_by = "Made by dpm " DPM_VERSION;
    if (auto done = write_new_file(output_, view::render_report(report, (*kept)->page)); !done)
      return refuse(terminal, *this, done.error());
    if (json_) print_json({{"page", output_}, {"ledger", ledger_json((*kept)->ledger)}}, terminal);
    terminal.err << "wrote " << output_ << '\n';
    print_ledger((*kept)->ledger, terminal);
    return kDone;
  }

  std::string trace_, output_;
  Computation computation_;
  bool json_ = false;
  bool threads_ = false;
};

}  // namespace

std::unique_ptr<Command> make_report() { return std::make_unique<ReportCommand>(); }

}  // namespace dpm::cli
