// dpm meter: runs a program of this machine and meters it. The process that is called becomes the program; what follows
// launch() happens in its supervisor.
#include <CLI/CLI.hpp>

#include "backends/linux/keeper/keeper.hpp"
#include "backends/linux/launch.hpp"
#include "backends/linux/linux_source.hpp"
#include "cli/commands.hpp"
#include "cli/results/ledger_results.hpp"
#include "filter/event_filter.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_writer.hpp"

namespace dpm::cli {
namespace {

class MeterCommand : public Command {
 public:
  std::string name() const override { return "meter"; }
  std::string summary() const override { return "Run a program and meter it, unchanged"; }
  std::string example() const override { return "dpm meter -o OUT -- redis-server --port 7000"; }

  void describe(CLI::App& app) override {
    app.add_option("-o,--output", directory_, "A new trace directory")->required();
    app.add_option("--flags", flags_, "Which events, such as send,receive,-fork (default: all)");
    app.add_flag("--exact-paths", launch_.exact_paths, "Be notified of socket, connect, dup and close as well");
    app.add_option("command", command_, "The program and its arguments, after --")->required();
  }

  int run(Terminal& terminal) override {
    const auto flags = apply_flags(flags_.empty() ? MeterFlags::all() : MeterFlags(), flags_);
    if (!flags) return refuse(terminal, *this, flags.error());
    auto launched = launch(command_, launch_);
    if (!launched) return refuse(terminal, *this, launched.error());
    return meter(*launched, *flags, terminal);
  }

 private:
  int meter(LaunchedProgram& launched, MeterFlags flags, Terminal& terminal) {
    auto rules = RuleSet::compile("", "", event_layouts());
    if (!rules) return refuse(terminal, *this, rules.error());
    std::vector<RuleSet> rule_sets = {*std::move(rules)};
    auto writer = TraceWriter::create(directory_, describe_events({"filter"}, rule_sets));
    if (!writer) return refuse(terminal, *this, writer.error());
    EventFilter filter(std::move(rule_sets), **writer);
    if (auto kept = start_keeper(launched.program()); !kept) return refuse(terminal, *this, kept.error());
    LinuxSource source(std::move(launched.program()), {.flags = flags}, [&launched] { launched.start(); });
    if (auto done = source.run(filter); !done) return refuse(terminal, *this, done.error());
    print_ledger((*writer)->ledger(), terminal);
    const MeterSummary& summary = source.summary();
    terminal.err << summary.processes << " processes, " << summary.threads << " threads; " << summary.notified_calls
                 << " calls notified (" << summary.call_cost_ns << " ns each), " << summary.recorded_calls
                 << " recorded, " << summary.held_calls << " held\n";
    return kDone;
  }

  std::string directory_, flags_;
  LaunchOptions launch_;
  std::vector<std::string> command_;
};

}  // namespace

std::unique_ptr<Command> make_meter() { return std::make_unique<MeterCommand>(); }

}  // namespace dpm::cli
