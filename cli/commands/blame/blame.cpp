// dpm blame: where the elapsed time of a process or of a request went.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/clocks/common_time.hpp"
#include "cli/command.hpp"
#include "cli/input/event_keeper.hpp"
#include "cli/input/trace_input.hpp"
#include "cli/printable.hpp"
#include "cli/results/blame_results.hpp"
#include "cli/results/ledger_results.hpp"
#include "model/nearest_name.hpp"

namespace dpm::cli {
namespace {

constexpr double kShareMin = 0.005;

class BlameCommand : public Command {
 public:
  std::string name() const override { return "blame"; }
  std::string summary() const override {
    return "Where the time of a process or a request went: its CPU, the CPU's queue, the disk, and other processes";
  }
  std::string example() const override { return "dpm blame out/trace --of client --request 3"; }
  void describe(CLI::App& app) override {
    options_.describe(app);
    app.add_option("--of", of_, "The process (default: the one whose first and last event are farthest apart)");
    app.add_option("--request", request_,
                   "Only its request with this number: from the first SEND to a process to the RECEIVE of its answer")
        ->check(CLI::Range(1, 1'000'000'000));
    describe_all(app, all_);
  }

  int run(Terminal& terminal) override {
    ClockAnalysis clocks;
    EventKeeper keeper;
    const auto input = read_trace(options_.trace, {&clocks, &keeper});
    if (!input) return refuse(terminal, *this, input.error());
    const auto times_ns = CommonTime(clocks.result()).times_ns(keeper.events());
    const BlameAnalysis blame(keeper.events(), times_ns, input->info);
    const auto process = chosen(blame, input->info);
    if (!process) return refuse(terminal, *this, process.error());
    const auto interval = request_ == 0 ? blame.lifetime(*process) : blame.request(*process, request_);
    if (!interval)
      return refuse(terminal, *this,
                    Error{fmt::format("--request {}: '{}' made {} requests that were answered", request_,
                                      input->info[*process].name, blame.requests(*process))});
    const std::string& name = input->info[*process].name;
    const BlameTree tree{blame.divide(*process, *interval),
                         request_ == 0 ? name : fmt::format("request {} of {}", request_, name),
                         blame.is_measured(*process)};
    if (options_.json)
      print_json(blame_json(tree, input->info, input->ledger), terminal);
    else
      terminal.out << blame_text(tree, input->info, all_ ? 0 : kShareMin);
    if (!tree.is_measured)
      terminal.err
          << "note: this trace does not have the time that processes wait for a CPU or a disk; 'dpm meter --source "
             "kernel' records it\n";
    print_ledger(input->ledger, terminal);
    return kDone;
  }

 private:
  Result<ProcessId> chosen(const BlameAnalysis& blame, const TraceInfo& info) const {
    std::vector<std::string> names;
    for (std::uint32_t p = 0; p < info.processes.size(); ++p) {
      if (!blame.lifetime({p})) continue;
      if (info.processes[p].name == of_) return ProcessId{p};
      names.push_back(info.processes[p].name);
    }
    if (names.empty()) return Error{"the trace has no events"};
    if (of_.empty()) return *blame.longest();
    const std::string nearest = nearest_name(of_, names);
    return Error{"--of: the trace has no process '" + of_ + "'" +
                 (nearest.empty() ? " (dpm statistics lists them)" : "; did you mean '" + nearest + "'?")};
  }

  TraceOptions options_;
  std::string of_;
  std::size_t request_ = 0;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> make_blame() { return std::make_unique<BlameCommand>(); }

}  // namespace dpm::cli
