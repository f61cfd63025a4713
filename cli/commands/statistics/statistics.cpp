// dpm statistics: who talks to whom, how much, how often, in what sizes, and where the CPU time goes.
#include <nlohmann/json.hpp>

#include "analysis/statistics/call_sites.hpp"
#include "analysis/statistics/threads.hpp"
#include "answers/kept/results_file.hpp"
#include "answers/kept/window_results.hpp"
#include "answers/reading/part_reading.hpp"
#include "answers/reading/trace_input.hpp"
#include "answers/results/ledger_results.hpp"
#include "answers/results/places_results.hpp"
#include "answers/results/process_groups.hpp"
#include "answers/results/statistics_results.hpp"
#include "cli/command.hpp"
#include "cli/importing/foreign_trace.hpp"
#include "cli/trace_options/divided_command.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

class StatisticsCommand : public DividedCommand {
 public:
  std::string name() const override { return "statistics"; }
  std::string summary() const override { return "Who talks to whom: counts, bytes, sizes, density, CPU time"; }
  std::string example() const override { return "dpm statistics out/trace"; }
  void describe(Options& options) override {
    options.value("TRACE", options_.trace, "A trace directory, or the recording of another tool").required();
    options.flag("--json", options_.json, "Print the same numbers as JSON");
    describe_part(options, part_);
    options.flag("--where", where_, "Also which functions and source lines send and receive");
    describe_threads(options, threads_);
    describe_all(options, all_);
    describe_jobs(options);
  }

  int run(Terminal& terminal) override {
    if (!part_.is_all() && reading() != nullptr)
      return refuse(terminal, *this, Error{"--from, --to and --process are for 'dpm', one process"});
    if (holds_results(options_.trace)) return print_kept(terminal);
    const auto trace = ForeignTrace::open(options_.trace, terminal);
    if (!trace) return refuse(terminal, *this, trace.error());
    PartReading part(part_);
    StatisticsAnalysis analysis;
    CallSiteAnalysis call_sites;
    std::vector<EventSink*> sinks = {&analysis};
    if (where_) sinks.push_back(&call_sites);
    const auto input = read_trace(trace->directory(), sinks, part_.is_all() ? reading() : &part);
    if (!input) return refuse(terminal, *this, input.error());
    Statistics statistics = analysis.result();
    if (!threads_) statistics = sum_threads(std::move(statistics), input->info);
    std::vector<HotPlace> places;
    if (where_) places = hot_places(call_sites.result(), input->info);
    if (options_.json) {
      auto document = statistics_json(statistics, input->info, input->ledger);
      if (where_) document["places"] = places_json(places);
      print_json(document, terminal);
    } else {
      print_tables(statistics, input->info, terminal);
      if (where_) terminal.out << '\n' << places_text(places, terminal.width);
    }
    for (const auto& warning : statistics.warnings) terminal.err << "warning: " << printable(warning) << '\n';
    print_ledger(input->ledger, terminal);
    return kDone;
  }

 private:
  void print_tables(Statistics statistics, const TraceInfo& info, Terminal& terminal) const {
    const TraceInfo shown = all_ || threads_ ? info : group_processes(info);
    if (!threads_) statistics = sum_threads(std::move(statistics), shown);
    terminal.out << statistics_text(statistics, shown, terminal.width, all_);
  }

  // Results that were kept instead of a trace.
  int print_kept(Terminal& terminal) {
    if (where_ || !part_.is_all() || reading() != nullptr)
      return refuse(terminal, *this, results_are_no_trace(options_.trace));
    const auto kept = read_results(options_.trace);
    if (!kept) return refuse(terminal, *this, kept.error());
    const KeptResults& results = **kept;
    Statistics statistics = results.statistics.result();
    if (!threads_) statistics = sum_threads(std::move(statistics), results.info);
    constexpr std::size_t kWindowsShown = 20, kWindowsMost = 400;
    if (options_.json) {
      auto document = statistics_json(statistics, results.info, results.ledger);
      document["windows"] = windows_json(windows_of(results.page, kWindowsMost));
      print_json(document, terminal);
    } else {
      print_tables(statistics, results.info, terminal);
      terminal.out << '\n' << windows_text(windows_of(results.page, kWindowsShown), terminal.width);
    }
    for (const auto& warning : statistics.warnings) terminal.err << "warning: " << printable(warning) << '\n';
    print_ledger(results.ledger, terminal);
    return kDone;
  }

  TraceOptions options_;
  TracePart part_;
  bool where_ = false;
  bool threads_ = false;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> make_statistics() { return std::make_unique<StatisticsCommand>(); }

}  // namespace dpm::cli
