// dpm clocks: how the machines' clocks relate, as proven by the messages between them.
#include <nlohmann/json.hpp>

#include "answers/reading/trace_input.hpp"
#include "answers/results/clocks_results.hpp"
#include "answers/results/ledger_results.hpp"
#include "cli/command.hpp"
#include "cli/trace_options/divided_command.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

class ClocksCommand : public DividedCommand {
 public:
  std::string name() const override { return "clocks"; }
  std::string summary() const override {
    return "How the machines' clocks relate: offset and drift, from messages alone";
  }
  std::string example() const override { return "dpm clocks all"; }
  void describe(Options& options) override {
    options_.describe(options);
    describe_all(options, all_);
    describe_jobs(options);
  }

  int run(Terminal& terminal) override {
    ClockAnalysis analysis;
    const auto input = read_trace(options_.trace, {&analysis}, reading());
    if (!input) return refuse(terminal, *this, input.error());
    const Clocks& clocks = analysis.result();
    if (options_.json) {
      print_json(clocks_json(clocks, input->info, input->ledger), terminal);
    } else {
      terminal.out << clocks_text(clocks, input->info, terminal.width, all_);
    }
    for (const auto& warning : clocks.warnings) terminal.err << "warning: " << printable(warning) << '\n';
    print_ledger(input->ledger, terminal);
    return kDone;
  }

 private:
  TraceOptions options_;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> make_clocks() { return std::make_unique<ClocksCommand>(); }

}  // namespace dpm::cli
