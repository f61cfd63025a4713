// dpm queues: where messages wait, and for how long.
#include <nlohmann/json.hpp>

#include "analysis/messages/queue_feed.hpp"
#include "answers/kept/results_file.hpp"
#include "answers/reading/part_reading.hpp"
#include "answers/reading/trace_input.hpp"
#include "answers/results/ledger_results.hpp"
#include "answers/results/process_groups.hpp"
#include "answers/results/queues_results.hpp"
#include "cli/command.hpp"
#include "cli/trace_options/divided_command.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

class QueuesCommand : public DividedCommand {
 public:
  std::string name() const override { return "queues"; }
  std::string summary() const override {
    return "Where messages and processes wait, and for what: queue lengths, waiting times, the CPU, disks";
  }
  std::string example() const override { return "dpm queues out/trace --json"; }
  void describe(Options& options) override {
    options_.describe(options);
    describe_part(options, part_);
    describe_threads(options, threads_);
    describe_all(options, all_);
    describe_jobs(options);
  }

  int run(Terminal& terminal) override {
    if (!part_.is_all() && reading() != nullptr)
      return refuse(terminal, *this, Error{"--from, --to and --process are for 'dpm', one process"});
    if (holds_results(options_.trace)) return print_kept(terminal);
    PartReading part(part_);
    QueueAnalysis analysis;
    QueueFeed feed(analysis, threads_);
    ProcessWaits waits;
    const auto input = read_trace(options_.trace, {&feed, &waits}, part_.is_all() ? reading() : &part);
    if (!input) return refuse(terminal, *this, input.error());
    Queues queues = analysis.result();
    queues.own_waits = waits.result(input->info, threads_);
    return print(std::move(queues), input->info, input->ledger, terminal);
  }

 private:
  int print(Queues queues, const TraceInfo& info, const Ledger& ledger, Terminal& terminal) const {
    if (options_.json) {
      print_json(queues_json(queues, info, ledger), terminal);
    } else {
      const TraceInfo shown = all_ || threads_ ? info : group_processes(info);
      if (!all_ && !threads_) queues = group_queues(queues, shown);
      terminal.out << queues_text(queues, shown, terminal.width, all_)
                   << waits_text(queues, shown, terminal.width, all_);
    }
    for (const auto& warning : queues.warnings) terminal.err << "warning: " << printable(warning) << '\n';
    print_ledger(ledger, terminal);
    return kDone;
  }

  // Results that were kept instead of a trace: queues of processes, not of their threads.
  int print_kept(Terminal& terminal) {
    if (threads_ || !part_.is_all() || reading() != nullptr)
      return refuse(terminal, *this, results_are_no_trace(options_.trace));
    const auto kept = read_results(options_.trace);
    if (!kept) return refuse(terminal, *this, kept.error());
    Queues queues = (*kept)->queues.result();
    queues.own_waits = (*kept)->waits.result((*kept)->info);
    return print(std::move(queues), (*kept)->info, (*kept)->ledger, terminal);
  }

  TraceOptions options_;
  TracePart part_;
  bool threads_ = false;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> make_queues() { return std::make_unique<QueuesCommand>(); }

}  // namespace dpm::cli
