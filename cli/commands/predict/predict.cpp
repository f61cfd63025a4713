// dpm predict: P and elapsed time on a placement that was never run, or the best placement.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/messages/message_survey.hpp"
#include "answers/prediction/placement_file.hpp"
#include "answers/prediction/placement_hints.hpp"
#include "answers/prediction/single_cores.hpp"
#include "answers/reading/trace_caveats.hpp"
#include "answers/reading/trace_history.hpp"
#include "answers/results/ledger_results.hpp"
#include "answers/results/prediction_results.hpp"
#include "answers/results/search_results.hpp"
#include "cli/command.hpp"
#include "cli/prediction/calibration_options.hpp"
#include "cli/prediction/what_if_options.hpp"
#include "cli/trace_options/divided_command.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "model/counted.hpp"
#include "text/first_names.hpp"
#include "text/printable.hpp"
#include "trace/read_sidecar.hpp"
#include "trace/trace_reader.hpp"

namespace dpm::cli {
namespace {

// False also if it is not a trace: reading it reports that.
bool programs_are_scripted(const std::string& trace) {
  const auto sidecar = read_sidecar(trace_directory(trace));
  return sidecar && sidecar->info.properties.scripted;
}

// Which processes elapsed time and P are about.
std::string covered_text(const History& history, const TraceInfo& info) {
  std::vector<std::string> left_out;
  std::size_t covered = 0;
  for (std::uint32_t p = 0; p < info.processes.size(); ++p) {
    const bool is_covered = p < history.process_count() && !history.of(ProcessId{p}).empty();
    covered += is_covered ? 1 : 0;
    const bool is_thread = info.processes[p].group.value < info.processes.size();
    if (!is_covered && !is_thread) left_out.push_back(info.processes[p].name);
  }
  if (left_out.empty()) return "\nof the whole run, " + counted(covered, "process") + "\n";
  std::string text = "without ";
  constexpr std::size_t kNamed = 3;
  for (std::size_t i = 0; i < std::min(kNamed, left_out.size()); ++i) text += (i == 0 ? "" : ", ") + left_out[i];
  if (left_out.size() > kNamed) text += " and " + std::to_string(left_out.size() - kNamed) + " more";
  return "\n" + printable(text) + "\n";
}

class PredictCommand : public DividedCommand {
 public:
  std::string name() const override { return "predict"; }
  std::string summary() const override {
    return "How parallel and how fast it would be on another placement, or the best one";
  }
  std::string example() const override {
    return "dpm predict out/trace --search --move disk_interface --move buffer_manager";
  }

  void describe(Options& options) override {
    trace_.describe(options);
    describe_computation(options, computation_);
    options.flag("--computation", computation_only_,
                 "Only the processes that the trace marks as the computation, as dpm parallelism does (default: the "
                 "whole run, with users and devices; of live programs, those that were metered)");
    calibration_.describe(options);
    options.list("--placement", placements_, "A JSON file that puts processes on machines; repeat to compare several");
    options.flag("--search", search_, "Find the best placement");
    options.list("--move", options_.movable,
                 "With --search: a process that may move (default: all); repeat for several");
    options.list(
        "--onto", options_.machines,
        "With --search: a machine they may move to; repeat for several. 'cores': each core of the traced machine, "
        "'cores=4': each core of a machine with four");
    options.value("--keep", options_.keep, "With --search: how many candidates to show")
        .check(whole_number)
        .check([](const std::string& number) { return number == "0" ? "at least 1 is shown" : ""; })
        .show_default();
    options.value("--write", write_, "With --search: write the best placement to this new file, for --placement");
    options
        .value(
            "--write-hints", hints_,
            "With --search: write the best placement for other tools to this new folder: a placement file, a rankfile "
            "of Open MPI, and hosts and options of Slurm's srun")
        .check(directory_name);
    options.value("--seed", options_.seed, "With --search: the seed of the heuristic")
        .check(whole_number)
        .show_default();
    options
        .value("--order", order_,
               "The order in which a process receives in the replay: auto (chosen for each process), recorded, "
               "arrival or role "
               "(default: auto; recorded with thesis1984)")
        .one_of({"auto", "recorded", "arrival", "role"});
    options.value("--method", method_, "How CPU sharing is computed: replay (exact) or thesis1984 (Appendix A)")
        .one_of({"replay", "thesis1984"})
        .show_default();
    what_if_.describe(options);
    options.flag("--sensitivity", sensitivity_,
                 "Show what 10 % longer delays or slower CPUs would change, and for which process, link or pair of "
                 "machines 1 % less CPU time or delay gains most");
    options.flag("--strict", strict_,
                 "Refuse traces that have lost events or end before their program, and placements that leave processes "
                 "out");
    describe_jobs(options);
  }

  int run(Terminal& terminal) override {
    if (search_ && method_ == "thesis1984")
      return refuse(terminal, *this, Error{"--search uses the exact replay; leave out --method thesis1984"});
    if (!search_ && !(options_.machines.empty() && options_.movable.empty()))
      return refuse(terminal, *this, Error{"--onto and --move limit a search; add --search"});
    if (!search_ && !write_.empty())
      return refuse(terminal, *this, Error{"--write saves the result of a search: add --search"});
    if (!search_ && !hints_.empty())
      return refuse(terminal, *this, Error{"--write-hints saves the result of a search: add --search"});
    if (auto changes = what_if_.read(); !changes) {
      return refuse(terminal, *this, changes.error());
    } else {
      changes_ = std::move(*changes);
    }
    if (search_ && !changes_.replicas.empty())
      return refuse(terminal, *this, Error{"--search does not move copies: name placements, with SERVER#2 in them"});
    if (auto done = choose_processes(); !done) return refuse(terminal, *this, done.error());
    auto read = read_history(trace_.trace, computation_, {&endings_}, reading());
    if (!read) return refuse(terminal, *this, read.error());
    auto taken_out = calibration_.apply(read->history, terminal);
    if (!taken_out) return refuse(terminal, *this, taken_out.error());
    taken_out_ = *std::move(taken_out);
    if (const auto added = add_copies(changes_, read->history); !added) return refuse(terminal, *this, added.error());
    if (taken_out_)
      if (const auto added = add_copies(changes_, taken_out_->as_metered); !added)
        return refuse(terminal, *this, added.error());
    if (auto caveats = find_trace_caveats(read->input, read->history, endings_, {});
        strict_ && !caveats.sentences.empty())
      return refuse(terminal, *this, Error{trace_.trace + ": --strict: " + caveats.sentences.front()});
    const auto done = search_ ? run_search(*read, terminal) : run_predictions(*read, terminal);
    if (!done) return refuse(terminal, *this, done.error());
    print_history_warnings(read->history, terminal);
    print_ledger(read->input.ledger, terminal);
    return kDone;
  }

 private:
  static constexpr std::size_t kJudged =
      10;  // of the best placements found: their intervals cost some ten replays each

  // A user waits for the run, not for a part of it, so predictions are of every process that was metered. In a trace of
  // live programs the others have no CPU times.
  Result<void> choose_processes() {
    const bool is_chosen = !computation_.only.empty() || computation_.all_processes || computation_.external_time;
    if (computation_only_ && is_chosen)
      return Error{"--computation, --process, --everybody and --external-time each choose the processes; give one"};
    if (computation_only_ || is_chosen) return {};
    computation_.all_processes = is_whole_run_ = programs_are_scripted(trace_.trace);
    return {};
  }

  // Processes outside the computation stay where they are, unless the user names them.
  void keep_outsiders(const TraceInfo& info) {
    if (!is_whole_run_ || !options_.movable.empty()) return;
    for (const auto& process : info.processes)
      if (process.in_computation) options_.movable.push_back(process.name);
  }

  // A placement is about the computation: users and devices stay where they are without being named.
  static void forget_outsiders(std::vector<std::string>& left_out, const TraceInfo& info) {
    std::erase_if(left_out, [&](const std::string& name) {
      return std::any_of(info.processes.begin(), info.processes.end(),
                         [&](const ProcessInfo& p) { return p.name == name && !p.in_computation; });
    });
  }

  Result<void> run_predictions(const TraceHistory& read, Terminal& terminal) {
    if (placements_.empty()) placements_.emplace_back();  // the traced placement: only the identity check
    std::vector<Prediction> predictions, with_metering;
    std::vector<std::shared_ptr<const History>> histories;  // of each prediction that has copies of its own
    std::vector<std::string> notes;
    std::vector<PredictionChange> changes;  // one for each prediction, if there are changes
    for (const auto& path : placements_) {
      auto resolved = target_from(read.history, path);
      if (!resolved) return resolved.error();
      const History& history = resolved->history(read.history);
      histories.push_back(resolved->with_copies);
      for (const auto& note : resolved->notes) notes.push_back(path + ": " + note);
      if (is_whole_run_) forget_outsiders(resolved->left_out, read.input.info);
      calibration_.set(resolved->target);
      if (strict_ && !resolved->left_out.empty())
        return Error{path + ": --strict: it leaves out '" + resolved->left_out.front() + "'"};
      if (!resolved->left_out.empty())
        terminal.err << "note: " << path << " leaves out " << printable(first_names(resolved->left_out))
                     << ": placed as traced\n";
      auto prediction = predict(history, resolved->target, options());
      if (!prediction) return prediction.error();
      if (!changes_.empty()) {
        auto notes_of_changes = apply(changes_, history, resolved->target);
        if (!notes_of_changes) return notes_of_changes.error();
        auto changed = predict(history, resolved->target, options());
        if (!changed) return changed.error();
        changes.push_back({what_if_.words(), std::move(*prediction), std::move(*notes_of_changes)});
        prediction = std::move(changed);
      }
      predictions.push_back(std::move(*prediction));
      if (!taken_out_) continue;
      const auto as_metered = target_from(taken_out_->as_metered, path);
      if (!as_metered) return as_metered.error();
      auto metered = predict(as_metered->history(taken_out_->as_metered), resolved->target, options());
      if (!metered) return metered.error();
      with_metering.push_back(std::move(*metered));
    }
    const auto info_of = [&](std::size_t number) -> const TraceInfo& {
      return histories[number] ? histories[number]->info : read.history.info;
    };
    const TraceInfo& info = info_of(0);
    const TraceCaveats caveats =
        find_trace_caveats(read.input, read.history, endings_, predictions.front().clock_error);
    if (!trace_.json) {
      terminal.out << prediction_text(predictions, placements_, changes, info, terminal.width)
                   << covered_text(read.history, read.input.info);
      if (taken_out_) terminal.out << taken_out_text(taken_out_->cost, with_metering);
    } else if (predictions.size() == 1) {
      auto document = prediction_json(predictions.front(), info);
      if (!changes.empty()) document["what_if"] = change_json(changes.front());
      if (taken_out_) document["taken_out"] = taken_out_json(taken_out_->cost, with_metering.front(), info);
      if (!caveats.sentences.empty()) document["doubts"] = caveats_json(caveats);
      document["ledger"] = ledger_json(read.input.ledger);
      print_json(document, terminal);
    } else {
      nlohmann::ordered_json document = nlohmann::ordered_json::array();
      for (std::size_t i = 0; i < predictions.size(); ++i) {
        document.push_back(prediction_json(predictions[i], info_of(i)));
        if (!changes.empty()) document.back()["what_if"] = change_json(changes[i]);
        if (taken_out_) document.back()["taken_out"] = taken_out_json(taken_out_->cost, with_metering[i], info_of(i));
      }
      print_json(document, terminal);
    }
    for (const auto& caveat : caveats.sentences) terminal.err << "warning: " << printable(caveat) << '\n';
    for (const auto& note : notes) terminal.err << "note: " << printable(note) << '\n';
    if (!changes.empty())
      for (const auto& note : changes.front().notes) terminal.err << "note: " << printable(note) << '\n';
    if (!predictions.front().clock_error)
      terminal.err
          << "note: there is no clock error, because processes wait for others outside the computation and the "
             "replay omits these waits; --everybody includes them\n";
    if (predictions.front().clock_error && predictions.front().clock_error_has_meter)
      terminal.err
          << "note: the clock error includes the time that the meter took; dpm calibrate measures this time, and "
             "--delays removes it\n";
    for (const auto& prediction : predictions)
      for (const auto& warning : prediction.warnings) terminal.err << "warning: " << printable(warning) << '\n';
    return {};
  }

  Result<void> run_search(const TraceHistory& read, Terminal& terminal) {
    if (placements_.size() > 1) return Error{"--search begins with one --placement, not several"};
    const bool named_machines = !options_.machines.empty();
    asked_movable_ = options_.movable;
    auto base = target_without_copies(read.history, placements_.empty() ? "" : placements_.front());
    if (!base) return base.error();
    if (auto done = choose_machines(read, base->target); !done) return done.error();
    keep_outsiders(read.input.info);
    calibration_.set(base->target);
    auto traced = as_traced(read.history, base->target);
    if (const auto notes = apply(changes_, read.history, base->target); !notes) return notes.error();
    options_.order = order_from_name(order_);
    if (reading() != nullptr)
      options_.share = [this](std::size_t count, const auto& number_of) { return reading()->shared(count, number_of); };
    auto found = search_showing_progress(read.history, base->target, terminal);
    if (!found) return found.error();
    const PredictOptions how = options();
    PredictOptions without_sensitivity = how;
    without_sensitivity.sensitivity = false;
    const auto judged = judge(read.history, base->target, *found, without_sensitivity, kJudged);
    if (found->candidates.size() > options_.keep) found->candidates.resize(options_.keep);
    if (traced)
      if (auto done = add_traced(*found, read.history, std::move(*traced)); !done) return done.error();
    Target best = base->target;
    best.machine_of = found->candidates.front().machine_of;
    best.placement = "best found";
    const auto prediction = predict(read.history, best, how);
    if (!prediction) return prediction.error();
    if (!write_.empty() && (reading() == nullptr || reading()->is_first()))
      if (auto done = write_placement(write_, read.history, best, with(base->changes, changes_)); !done)
        return done.error();
    if (!hints_.empty())
      if (auto done = write_hints(hints_, read.history, best, asked_movable_); !done) return done.error();
    const auto& machines = base->target.machines;
    std::vector<std::string> devices;  // that the search leaves out
    for (const auto& machine : machines)
      if (!machine.accepts && !named_machines) devices.push_back(machine.name);
    if (trace_.json) {
      auto document = search_json(*found, judged, *prediction, read.history.info);
      document["devices"] = devices;
      document["ledger"] = ledger_json(read.input.ledger);
      print_json(document, terminal);
    } else {
      terminal.out << search_text(*found, judged, terminal.width) << covered_text(read.history, read.input.info);
    }
    for (const auto& device : devices)
      terminal.err << "note: '" << printable(device)
                   << "' is a device, so no process is moved to it (--onto names the machines that may be used)\n";
    if (machines.size() == 1 && machines.front().cores > 1)
      terminal.err << "note: there is one machine, '" << printable(machines.front().name)
                   << "', so there is only one placement; --onto cores tries its " << machines.front().cores
                   << " cores\n";
    return {};
  }

  static WhatIf with(WhatIf first, const WhatIf& second) {
    first.delays.insert(first.delays.end(), second.delays.begin(), second.delays.end());
    return first;
  }

  // The placement and the machines of the trace, among those of `base`; empty if the search begins with them.
  std::optional<Target> as_traced(const History& history, const Target& base) const {
    if (placements_.empty()) return std::nullopt;
    Target traced = base;
    traced.machine_of = traced_target(history).machine_of;
    bool same = std::equal(traced.machine_of.begin(), traced.machine_of.end(), base.machine_of.begin());
    for (std::size_t m = 0; m < history.info.machines.size(); ++m) {
      traced.machines[m] = history.info.machines[m];
      same &= traced.machines[m].speed == base.machines[m].speed && traced.machines[m].cores == base.machines[m].cores;
    }
    if (same) return std::nullopt;
    return traced;
  }

  Result<void> add_traced(SearchResult& found, const History& history, Target traced) const {
    if (const auto notes = apply(changes_, history, traced); !notes) return notes.error();
    PredictOptions how = options();
    how.interval = how.sensitivity = false;
    const auto prediction = predict(history, traced, how);
    if (!prediction) return prediction.error();
    Candidate candidate = found.base;
    candidate.elapsed_s = prediction->elapsed_s;
    candidate.T_s = prediction->T_s;
    candidate.P = prediction->P;
    candidate.machine_of = traced.machine_of;
    for (std::uint32_t p = 0; p < history.process_count(); ++p) {
      const auto moved = candidate.placement.machine_of_process.find(history.info.processes[p].name);
      if (moved != candidate.placement.machine_of_process.end())
        moved->second = traced.machines[traced.machine_of[p].value].name;
    }
    found.traced = std::move(candidate);
    return {};
  }

  Result<SearchResult> search_showing_progress(const History& history, const Target& base, Terminal& terminal) {
    constexpr std::uint64_t kBetween = 16;  // placements
    ProgressLine progress(terminal);
    SearchOptions asked = options_;
    asked.keep = std::max(options_.keep, kJudged);
    asked.progress = [&](std::uint64_t evaluated, std::uint64_t of) {
      if (evaluated % kBetween != 0) return;
      progress.show(fmt::format("predicting placements: {} of {}", evaluated, of));
    };
    return search(history, base, asked);
  }

  // Machines that a placement adds to a live trace are parts of the real machine, so the search must not use that too.
  Result<void> choose_machines(const TraceHistory& read, Target& base) {
    if (!options_.machines.empty()) return make_single_cores(read.history, base, options_);
    const auto& traced = read.history.info.machines;
    if (placements_.empty() || base.machines.size() == traced.size() || !has_live_channels(read.history.info))
      return {};
    const auto file = load_placement(placements_.front());
    if (!file) return file.error();
    options_.machines = file->machine_names();
    return {};
  }

  PredictOptions options() const {
    PredictOptions how;
    how.order = order_from_name(order_);
    how.method = *sharing_method_from_name(method_);
    how.sensitivity = sensitivity_;
    if (taken_out_ && taken_out_->as_it_ran) how.as_it_ran = &*taken_out_->as_it_ran;
    return how;
  }

  TraceOptions trace_;
  Computation computation_;
  CalibrationOptions calibration_;
  std::optional<TakenOut> taken_out_;
  std::vector<std::string> placements_;
  SearchOptions options_;
  WhatIfOptions what_if_;
  WhatIf changes_;
  std::vector<std::string> asked_movable_;  // by --move
  std::string order_, write_, hints_;
  std::string method_ = "replay";
  bool search_ = false;
  bool computation_only_ = false;
  bool is_whole_run_ = false;  // by default, not by an option
  bool sensitivity_ = false;
  bool strict_ = false;
  Endings endings_;
};

}  // namespace

std::unique_ptr<Command> make_predict() { return std::make_unique<PredictCommand>(); }

}  // namespace dpm::cli
