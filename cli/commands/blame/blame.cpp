// dpm blame: where the elapsed time of a process or of a request went.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "answers/findings/blame_findings.hpp"
#include "answers/reading/event_keeper.hpp"
#include "answers/reading/trace_input.hpp"
#include "answers/results/blame_groups.hpp"
#include "answers/results/blame_results.hpp"
#include "answers/results/ledger_results.hpp"
#include "cli/command.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

constexpr double kShareMin = 0.005;
constexpr double kCoveredMin = 0.95;  // with less, the tree is not that of the whole time

class BlameCommand : public Command {
 public:
  std::string name() const override { return "blame"; }
  std::string summary() const override {
    return "Where the time of a process or a request went: its CPU time, run-queue wait, disk, and other processes";
  }
  std::string example() const override { return "dpm blame out/trace --of client --request 3"; }
  void describe(Options& options) override {
    options_.describe(options);
    options.value("--of", of_, "The process (default: the one whose first and last event are farthest apart)");
    options
        .value("--request", request_,
               "Only its request with this number: from the first SEND to a process to the RECEIVE of its answer")
        .between(1, 1'000'000'000);
    describe_times(options, from_s_, to_s_);
    options.value("--samples", samples_,
                  "Divide by these samples, of 'dpm sample --log FILE' (default: those of 'dpm meter --sample', if the "
                  "trace does not have the times itself)");
    describe_all(options, all_);
  }

  int run(Terminal& terminal) override {
    if (request_ > 0 && (from_s_ || to_s_))
      return refuse(terminal, *this, Error{"--request is a part of the time itself: leave out --from and --to"});
    ClockAnalysis clocks;
    EventKeeper keeper;
    const auto input = read_trace(options_.trace, {&clocks, &keeper});
    if (!input) return refuse(terminal, *this, input.error());
    const auto found =
        find_blame(keeper.events(), clocks, *input,
                   {.of = of_, .request = request_, .from_s = from_s_, .to_s = to_s_, .samples = samples_});
    if (!found) return refuse(terminal, *this, Error{printable(found.error().what)});
    if (!*found) return refuse(terminal, *this, Error{"the trace has no events"});
    const BlameTree& tree = **found;
    const BlameGroups groups = all_ ? BlameGroups{tree, input->info} : group_blame(tree, input->info);
    if (options_.json)
      print_json(blame_json(tree, groups, input->info, input->ledger), terminal);
    else
      terminal.out << blame_text(groups.tree, groups.info, all_ ? 0 : kShareMin, terminal.width);
    if (tree.samples > 0 && tree.covered() < kCoveredMin)
      terminal.err << fmt::format("warning: the samples cover {:.1f} % of the time of {}; the rest is unknown\n",
                                  tree.covered() * 100, printable(tree.what));
    if (!tree.is_measured && tree.samples == 0)
      terminal.err << "note: this trace does not have run-queue and disk waits; 'dpm meter --source ebpf' records "
                      "them, and 'dpm meter --sample' records samples from which they are estimated\n";
    print_ledger(input->ledger, terminal);
    return kDone;
  }

 private:
  TraceOptions options_;
  std::string of_, samples_;
  std::size_t request_ = 0;
  std::optional<double> from_s_, to_s_;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> make_blame() { return std::make_unique<BlameCommand>(); }

}  // namespace dpm::cli
