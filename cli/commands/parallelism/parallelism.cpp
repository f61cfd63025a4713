// dpm parallelism: P in the three steps, its longest path, and the factors that lead to it, for the traced placement or another.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "answers/prediction/placement_file.hpp"
#include "answers/reading/trace_history.hpp"
#include "answers/results/ledger_results.hpp"
#include "answers/results/parallelism_results.hpp"
#include "answers/results/process_groups.hpp"
#include "cli/command.hpp"
#include "cli/trace_options/divided_command.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "text/first_names.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

// What a placement file decides.
std::string text_of(const Target& target) {
  std::string text = target.placement;
  for (const MachineInfo& machine : target.machines)
    text += fmt::format("\n{} {} {}", machine.name, machine.speed, machine.cores);
  for (const MachineId machine : target.machine_of) text += fmt::format(" {}", machine.value);
  return text;
}

class ParallelismCommand : public DividedCommand {
 public:
  std::string name() const override { return "parallelism"; }
  std::string summary() const override {
    return "How parallel the computation is: P in three steps, its longest path and efficiencies";
  }
  std::string example() const override { return "dpm parallelism out/trace --placement alone.json"; }

  void describe(Options& options) override {
    trace_.describe(options);
    describe_computation(options, computation_);
    options.value("--placement", placement_, "A JSON file that puts processes on machines (default: as traced)");
    options
        .value("--method", method_,
               "How CPU sharing is computed: replay (exact), thesis1984 (Appendix A), or none (not at all: the third "
               "step, "
               "the longest path and the efficiencies are left out, which takes a tenth of the time)")
        .one_of({"replay", "thesis1984", "none"})
        .show_default();
    describe_all(options, all_);
    describe_jobs(options);
  }

  int run(Terminal& terminal) override {
    const auto method = *sharing_method_from_name(method_);
    StepWorkers* const workers = reading() == nullptr ? nullptr : reading()->steps();
    const bool kept = workers != nullptr && method == SharingMethod::none;
    HistoryBuilder builder(computation_, kept ? PartsOfHistory::kept : PartsOfHistory::gathered);
    OtherLoadBuilder loads(computation_);
    std::vector<EventSink*> more;
    if (method == SharingMethod::replay) more.push_back(&loads);
    const auto read = read_history(trace_.trace, builder, reading(), std::move(more));
    if (!read) return refuse(terminal, *this, read.error());
    const History& history = read->history;
    const auto resolved = target_without_copies(history, placement_);
    if (const auto agreed = agree_on_target(resolved, kept); !agreed) return refuse(terminal, *this, agreed.error());
    std::optional<Schedule> schedule;
    auto parallelism = kept ? measure_together(history, builder.take_share(), resolved->target, *workers)
                            : measure_parallelism(history, resolved->target, method, &schedule);
    if (!parallelism) return refuse(terminal, *this, about_trace(read->input, parallelism.error()));
    if (!schedule && method != SharingMethod::none) {
      auto contended = contended_schedule(history, resolved->target);
      if (!contended) return refuse(terminal, *this, about_trace(read->input, contended.error()));
      schedule = *std::move(contended);
    }
    if (schedule) add_other_load(history, resolved->target, *schedule, loads.machines(), *parallelism);
    const CriticalPath path = schedule ? critical_path(history, resolved->target, *schedule) : CriticalPath();
    const Efficiency efficiency =
        schedule ? find_efficiency(history, resolved->target, *parallelism, {*schedule, path}, placement_.empty())
                 : Efficiency();
    if (trace_.json) {
      auto document =
          schedule ? parallelism_json(*parallelism, efficiency, path, history.info) : parallelism_json(*parallelism);
      document["ledger"] = ledger_json(read->input.ledger);
      print_json(document, terminal);
    } else {
      const TraceInfo shown = all_ ? history.info : group_processes(history.info);
      terminal.out << parallelism_text(*parallelism, all_ ? path : group_path(path, shown), shown, terminal.width,
                                       all_);
      if (schedule) terminal.out << '\n' << efficiency_text(efficiency, history.info, terminal.width);
    }
    if (!resolved->left_out.empty())
      terminal.err << "note: the placement leaves out " << printable(first_names(resolved->left_out))
                   << ": placed as traced\n";
    if (const auto warning = warning_of(parallelism->overlaps, history, path.t_max_s))
      terminal.err << "warning: " << printable(*warning) << '\n';
    if (const auto warning = warning_of_other_load(*parallelism))
      terminal.err << "warning: " << printable(*warning) << '\n';
    print_history_warnings(history, terminal);
    print_ledger(read->input.ledger, terminal);
    return kDone;
  }

 private:
  // Those that measure together must have the same one.
  Result<void> agree_on_target(const Result<FileTarget>& resolved, bool kept) {
    if (!kept) return resolved ? Result<void>() : Result<void>(resolved.error());
    return reading()->agree_on(resolved ? Result<std::string>(text_of(resolved->target))
                                        : Result<std::string>(resolved.error()));
  }

  TraceOptions trace_;
  Computation computation_;
  std::string placement_;
  std::string method_ = "replay";
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> make_parallelism() { return std::make_unique<ParallelismCommand>(); }

}  // namespace dpm::cli
