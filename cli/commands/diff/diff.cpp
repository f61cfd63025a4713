// dpm diff: what differs between two runs, and what explains the difference.
#include <nlohmann/json.hpp>

#include "answers/comparison/comparison_results.hpp"
#include "answers/comparison/run_reader.hpp"
#include "answers/results/ledger_results.hpp"
#include "cli/command.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "os/new_file.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

class DiffCommand : public Command {
 public:
  std::string name() const override { return "diff"; }
  std::string summary() const override {
    return "What differs between two runs, and which change explains how much of it";
  }
  std::string example() const override {
    return "dpm diff before/trace after/trace --runs before2/trace before3/trace";
  }

  void describe(Options& options) override {
    options.value("A", a_, "A trace directory, or the output directory of a run").required();
    options.value("B", b_, "The run to compare with it").required();
    options.list("--runs", runs_, "More runs of the same kind as A: changes within their differences are left out")
        .words(1, -1);
    options.value("--of", options_.of, "The process whose elapsed time is explained (default: the one seen longest)");
    options.value("--report", report_,
                  "Write a page with both runs side by side; a file that exists is not overwritten");
    options.flag("--json", json_, "Print the result as JSON");
    options.flag("--all", all_, "Show every change, and every process by itself");
    describe_computation(options, options_.history);
  }

  int run(Terminal& terminal) override {
    if (all_) options_.grouping = Grouping::none;
    const auto a = read_run(a_, options_);
    if (!a) return refuse(terminal, *this, a.error());
    const auto b = read_run(b_, options_);
    if (!b) return refuse(terminal, *this, b.error());
    std::vector<RunProfile> repeats;
    for (const std::string& path : runs_) {
      auto repeat = read_run(path, options_);
      if (!repeat) return refuse(terminal, *this, repeat.error());
      repeats.push_back(std::move(repeat->profile));
    }
    const Comparison comparison = compare(a->profile, b->profile, repeats);
    const ComparedRuns compared{*a, *b, comparison};
    if (!report_.empty()) {
      if (auto done = write_new_file(report_, view::render_report(comparison_report(compared))); !done)
        return refuse(terminal, *this, done.error());
      terminal.err << "wrote " << printable(report_) << '\n';
    }
    if (json_)
      print_json(comparison_json(compared), terminal);
    else
      terminal.out << comparison_text(compared, terminal.width, all_);
    for (const ComparedRun* one : {&*a, &*b}) {
      for (const std::string& missing : one->missing)
        terminal.err << "warning: " << printable(one->trace + ": " + missing) << '\n';
      terminal.err << printable(one->trace) << ": ";
      print_ledger(one->ledger, terminal);
    }
    if (runs_.empty())
      terminal.err << "note: some of these changes may be noise; give more runs of the same kind as A with --runs to "
                      "leave those out\n";
    return kDone;
  }

 private:
  std::string a_, b_, report_;
  std::vector<std::string> runs_;
  RunOptions options_;
  bool json_ = false, all_ = false;
};

}  // namespace

std::unique_ptr<Command> make_diff() { return std::make_unique<DiffCommand>(); }

}  // namespace dpm::cli
