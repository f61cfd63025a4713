// dpm run: simulates a scenario, meters it, and performs the analyses that it asks for: tables, results.json, report.html
// and the trace. With --native: runs its processes as real processes, which another dpm can meter.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>

#include "analysis/statistics/threads.hpp"
#include "answers/findings/findings.hpp"
#include "answers/live/file_data.hpp"
#include "answers/results/journal_results.hpp"
#include "answers/results/ledger_results.hpp"
#include "answers/results/parallelism_results.hpp"
#include "answers/results/process_groups.hpp"
#include "answers/results/queues_results.hpp"
#include "answers/results/statistics_results.hpp"
#include "answers/scenario/asked_analyses.hpp"
#include "answers/scenario/requests.hpp"
#include "cli/command.hpp"
#include "cli/output_folder.hpp"
#include "cli/run/feedback_results.hpp"
#include "cli/run/native_results.hpp"
#include "cli/run/printed_lines.hpp"
#include "cli/run/quantity.hpp"
#include "cli/run/run_report.hpp"
#include "cli/run/run_totals.hpp"
#include "cli/run/simulation.hpp"
#include "cli/run/study.hpp"
#include "cli/run/study_results.hpp"
#include "cli/serving/page_process.hpp"
#include "cli/trace_options/compress_option.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "cli/trace_options/window_option.hpp"
#include "os/new_file.hpp"
#include "scenarios/native/native_run.hpp"
#include "scheduling/demos/scheduler_program.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

// Everything a run produces, filled step by step.
struct Outcome {
  std::shared_ptr<const SystemTemplate> system;
  Scenario scenario;
  Scenario unscheduled;  // the same without the scheduler that the file describes
  RecordedRun run;
  RunTotals totals;
  std::optional<Findings> findings;   // there once the run has been recorded
  std::vector<JournalEntry> journal;  // of the scenario's scheduler
  std::optional<FeedbackStudy> feedback;
  std::vector<SweepResult> sweeps;
  std::vector<MatrixResult> matrices;
  std::vector<Comparison> comparisons;
  std::vector<std::string> not_answered;  // requests of the scenario that this run could not answer
  Json results;
  Json views;  // what the report's page shows of the trace
};

bool is_named(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class RunCommand : public Command {
 public:
  std::string name() const override { return "run"; }
  std::string summary() const override { return DPM_COMMAND_SUMMARY; }
  std::string example() const override {
    return "dpm run scenarios/file-system/scenario.json --placement alone --set users=5 -o out/alone";
  }

  void describe(Options& options) override {
    options.value("SCENARIO", scenario_, "A scenario file (docs/scenarios.md)").required();
    options.value("--placement", overrides_.placement, "A placement the scenario names");
    options.value("--seed", overrides_.seed, "Another seed than the scenario's").check(whole_number);
    options.list("--set", settings_, "PARAMETER=VALUE, one of the scenario's parameters; repeat for several");
    const Option output = options
                              .value("-o,--output", output_,
                                     "A new directory for trace, results.json and report.html (default: no files)")
                              .check(directory_name);
    options.flag("--serve", serve_, "Show the run in the browser while it is simulated: prints the address of a page")
        .needs(output);
    window_.describe(options, "base run's trace, by the simulation's clock");
    describe_compress(options, compress_);
    options.flag("--json", json_, "Print results.json instead of tables");
    options.flag("--base-only", base_only_, "Leave out the scenario's sweeps and predictions");
    describe_all(options, all_);
    const Option native =
        options.flag("--native", native_,
                     "Run the base run as real processes on this machine, unmetered (dpm meter -- dpm run --native)");
    options.flag("--pin", pin_, "With --native: give each machine of the scenario a core of this one").needs(native);
    options
        .flag("--modelled-work", modelled_work_,
              "With --native: real work of programs takes the CPU time that they state for the modelled machine")
        .needs(native);
  }

  int run(Terminal& terminal) override {
    if (auto done = read_settings(); !done) return refuse(terminal, *this, done.error());
    const auto file = load_scenario(scenario_, shipped_programs());
    if (!file) return refuse(terminal, *this, file.error());
    auto system = read_system(*file, overrides_);
    if (!system) return refuse(terminal, *this, system.error());
    auto scenario = place(**system, overrides_.placement, overrides_.seed);
    if (!scenario) return refuse(terminal, *this, scenario.error());
    if (native_) return run_for_real(*scenario, terminal);
    auto filters = load_filters(*file);
    if (!filters) return refuse(terminal, *this, filters.error());
    if (auto done = check_requests(*file, *scenario); !done) return refuse(terminal, *this, done.error());
    const Scenario unscheduled = *scenario;
    if (scenario->scheduler)
      if (auto added = add_scheduler(*scenario, *unscheduled.scheduler, unscheduled.scheduler->policy); !added)
        return refuse(terminal, *this, added.error());
    const auto folder = output_.empty() ? OutputFolder::scratch() : OutputFolder::create(output_);
    if (!folder) return refuse(terminal, *this, folder.error());

    if (serve_)
      if (auto done = start_page(folder->absolute_path()); !done)
        terminal.err << "dpm run: no page: " << done.error().what << '\n';
    Outcome outcome;
    outcome.system = *std::move(system);
    outcome.scenario = *std::move(scenario);
    outcome.unscheduled = unscheduled;
    ProgressLine progress(terminal);
    const Result<void> done = perform(*file, *std::move(filters), folder->trace(), outcome, progress);
    progress.clear();
    if (!done) {
      folder->remove();
      return refuse(terminal, *this, done.error());
    }
    const int status = print(outcome, *folder, terminal);
    if (!folder->is_kept()) folder->remove();
    return status;
  }

 private:
  int run_for_real(const Scenario& scenario, Terminal& terminal) {
    if (!output_.empty())
      return refuse(terminal, *this,
                    Error{"a native run records nothing itself; meter it: dpm meter -o " + output_ +
                          " -- dpm run --native " + scenario_});
    if (window_.is_given() || compress_)
      return refuse(terminal, *this,
                    Error{std::string("a native run records nothing itself; give ") +
                          (window_.is_given() ? "--window" : "--compress") + " to dpm meter"});
    NativeOptions options{.modelled_work = modelled_work_, .pin = pin_};
    if (!json_)
      options.on_line = [&](const PrintedLine& line) { terminal.out << printed_text({&line, 1}) << std::flush; };
    const auto outcome = run_native(scenario, options);
    if (!outcome) return refuse(terminal, *this, outcome.error());
    if (json_) {
      print_json(native_json(*outcome, scenario), terminal);
    } else {
      if (!outcome->printed.empty()) terminal.out << '\n';
      terminal.out << native_text(*outcome, terminal.width, all_);
    }
    if (!outcome->ended_well() || outcome->at_limit)
      terminal.err << "dpm run: " << printable_lines(how_it_ended(*outcome, all_)) << '\n';
    if (outcome->signal != 0) end_by_signal(outcome->signal, terminal);
    return outcome->ended_well() ? kDone : kFellShort;
  }

  // dpm ends by the same signal, so that its caller sees that it was interrupted.
  static void end_by_signal(int signal, Terminal& terminal) {
    terminal.out.flush();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }

  Result<void> read_settings() {
    for (const auto& setting : settings_) {
      const std::size_t equals = setting.find('=');
      char* end = nullptr;
      const std::string number = equals == std::string::npos ? "" : setting.substr(equals + 1);
      const double value = std::strtod(number.c_str(), &end);
      if (number.empty() || *end != '\0' || !std::isfinite(value))
        return Error{"--set " + setting + ": expected PARAMETER=NUMBER"};
      overrides_.parameters[setting.substr(0, equals)] = value;
    }
    return {};
  }

  Result<void> perform(const ScenarioFile& file, Filters filters, const std::string& trace, Outcome& outcome,
                       ProgressLine& progress) {
    const auto say = [&](const std::string& what) { progress.show(what); };
    const Progressing simulating{say, "simulating '" + printable(file.name) + "'"};
    say(simulating.doing);
    const auto window = window_.window();
    auto run = simulate_into(trace, std::move(filters), outcome.scenario, simulating,
                             {window ? std::optional(window->length) : std::nullopt, compress_});
    if (!run) return run.error();
    outcome.run = std::move(*run);
    outcome.journal = journal_of(outcome.run.truth.printed);
    outcome.run.truth.printed = without_journal(outcome.run.truth.printed);
    outcome.totals = run_totals(outcome.run.truth, outcome.scenario);

    const AnalysisRequest request = parallelism_request(file);
    const auto computation = computation_of(outcome.scenario, request.processes, request.external_time);
    if (!computation) return computation.error();
    const auto method = method_from(request.prediction);
    if (!method) return method.error();
    const auto roles = causality_options(file, outcome.scenario);
    if (!roles) return roles.error();
    const auto asked = ask(file, *outcome.system, outcome.scenario);
    if (!asked) return asked.error();
    Asked questions{.history = {.only = computation->only, .external_time = request.external_time},
                    .method = *method,
                    .causality = *roles,
                    .blame = true,
                    .computations = asked->computations,
                    .sinks = asked->sinks};
    FileData views(true);
    if (!output_.empty()) views.add_to(questions);
    auto findings = find_all(trace, std::move(questions));
    if (!findings) return findings.error();
    outcome.findings = std::move(*findings);
    if (!output_.empty()) outcome.views = views.take(*outcome.findings);
    auto& warnings = outcome.run.ledger.warnings;
    warnings.insert(warnings.end(), outcome.findings->missing.begin(), outcome.findings->missing.end());
    answer_requests(file, *asked, outcome);
    if (!outcome.run.ended_well())
      return {};  // further runs would end in the same way, and published figures are about complete runs
    if (!base_only_) study(file, outcome, say);
    compare(file, outcome);
    return {};
  }

  void answer_requests(const ScenarioFile& file, const AskedAnalyses& asked, Outcome& outcome) {
    outcome.results = {{"scenario", file.name},
                       {"placement", outcome.scenario.placement},
                       {"seed", outcome.scenario.seed},
                       {"simulated", run_totals_json(outcome.totals)},
                       {"ledger", ledger_json(outcome.run.ledger)}};
    outcome.results["simulated"]["messages"] = outcome.run.truth.messages_delivered;
    outcome.results["simulated"]["ended_by"] = outcome.run.truth.ended_by;
    if (!outcome.run.truth.printed.empty()) outcome.results["printed"] = printed_json(outcome.run.truth.printed);
    if (outcome.scenario.scheduler) outcome.results["journal"] = journal_json(outcome.journal);
    for (const auto& [question, answer] : asked.all) {
      const AnalysisRequest& request = question.request;
      auto document = answer->answer(*outcome.findings, question);
      // One request without an answer does not stop the others.
      if (!document) {
        outcome.not_answered.push_back("analysis '" + request.name + "': " + document.error().what);
        continue;
      }
      outcome.results[request.name] = std::move(*document);
    }
    add_printed_tables(*outcome.findings, outcome.results);
  }

  // Tables are printed whether the scenario asks for them or not; results.json has them all.
  static void add_printed_tables(const Findings& found, Json& results) {
    const TraceInfo& info = found.input.info;
    if (!results.contains("statistics"))
      results["statistics"] = statistics_json(found.statistics, info, found.input.ledger);
    if (!results.contains("queues")) results["queues"] = queues_json(found.queues, info, found.input.ledger);
    if (found.parallel && !results.contains("parallelism"))
      results["parallelism"] =
          parallelism_json(found.parallel->parallelism, found.parallel->efficiency, found.parallel->path, info);
  }

  void study(const ScenarioFile& file, Outcome& outcome, const Say& say) {
    if (outcome.unscheduled.scheduler && !outcome.unscheduled.scheduler->compare.empty()) {
      auto result = run_feedback(outcome.unscheduled, say);
      if (result) {
        outcome.results["feedback"] = feedback_json(*result);
        outcome.feedback = *std::move(result);
      } else {
        outcome.not_answered.push_back("scheduler: " + result.error().what);
      }
    }
    for (const auto& sweep : file.sweeps) {
      if (!is_named(file.study.sweeps, sweep.name)) continue;
      auto result = run_sweep(file, overrides_, sweep, say);
      if (!result) {
        outcome.not_answered.push_back("sweep '" + sweep.name + "': " + result.error().what);
        continue;
      }
      outcome.results["sweeps"][sweep.name] = sweep_json(*result);
      outcome.sweeps.push_back(std::move(*result));
    }
    std::vector<const PredictionMatrix*> matrices;
    for (const auto& matrix : file.predictions)
      if (is_named(file.study.predictions, matrix.name)) matrices.push_back(&matrix);
    TracedRuns traced(matrices);
    for (const auto* one : matrices) {
      const PredictionMatrix& matrix = *one;
      auto result = run_matrix(file, overrides_, matrix, traced, say);
      if (!result) {
        outcome.not_answered.push_back("predictions '" + matrix.name + "': " + result.error().what);
        continue;
      }
      outcome.results["predictions"][matrix.name] = matrix_json(*result);
      outcome.matrices.push_back(std::move(*result));
    }
  }

  // Published figures are about the scenario as written, not about a variation of it.
  void compare(const ScenarioFile& file, Outcome& outcome) {
    const bool varied = base_only_ || !overrides_.parameters.empty() || !overrides_.placement.empty();
    if (varied) return;
    for (const auto& published : file.published) {
      const auto obtained = find_quantity(outcome.results, published.quantity);
      if (obtained) {
        outcome.comparisons.push_back({published, *obtained});
      } else {
        outcome.not_answered.push_back("published '" + published.label + "': " + obtained.error().what);
      }
    }
    if (!file.published.empty()) outcome.results["published"] = comparison_json(outcome.comparisons);
  }

  int print(Outcome& outcome, const OutputFolder& folder, Terminal& terminal) {
    if (json_) {
      print_json(outcome.results, terminal);
    } else {
      print_tables(outcome, terminal);
    }
    if (folder.is_kept()) {
      const auto written =
          write_new_file(folder.results(), outcome.results.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
      if (!written) return refuse(terminal, *this, written.error());
      outcome.results = nullptr;  // of a large system this is most of the memory, and the report needs more
      const std::string report = run_report(*outcome.findings, outcome.feedback ? &*outcome.feedback : nullptr,
                                            outcome.sweeps, outcome.matrices, outcome.comparisons, outcome.views);
      if (auto done = write_new_file(folder.report(), report); !done) return refuse(terminal, *this, done.error());
      terminal.err << "wrote " << output_ << ": trace, results.json, report.html\n";
    }
    print_ledger(outcome.run.ledger, terminal);
    for (const auto& question : outcome.not_answered) terminal.err << "dpm run: " << printable(question) << '\n';
    if (!outcome.run.ended_well() || outcome.run.truth.at_limit)
      terminal.err << "dpm run: " << printable_lines(how_it_ended(outcome.run, all_)) << '\n';
    return outcome.not_answered.empty() && outcome.run.ended_well() ? kDone : kFellShort;
  }

  void print_tables(const Outcome& outcome, Terminal& terminal) const {
    terminal.out << printed_text(outcome.run.truth.printed);
    if (!outcome.run.truth.printed.empty()) terminal.out << '\n';
    const Findings& found = *outcome.findings;
    const TraceInfo info = all_ ? found.input.info : group_processes(found.input.info);
    terminal.out << run_totals_text(outcome.totals, terminal.width, all_) << '\n';
    terminal.out << statistics_text(sum_threads(found.statistics, info), info, terminal.width, all_) << '\n'
                 << queues_text(group_queues(found.queues, info), info, terminal.width, all_);
    if (found.parallel)
      terminal.out << '\n'
                   << parallelism_text(found.parallel->parallelism, group_path(found.parallel->path, info), info,
                                       terminal.width, all_);
    if (!outcome.journal.empty())
      terminal.out << "\njournal of the scheduler, policy '" << outcome.scenario.scheduler->policy << "'\n"
                   << journal_text(outcome.journal, terminal.width);
    if (outcome.feedback) terminal.out << '\n' << feedback_text(*outcome.feedback, terminal.width);
    for (const auto& sweep : outcome.sweeps)
      terminal.out << "\nsweep '" << sweep.name << "'\n" << sweep_text(sweep, terminal.width);
    for (const auto& matrix : outcome.matrices)
      terminal.out << "\npredicted against simulated P, '" << matrix.name << "'\n"
                   << matrix_text(matrix, terminal.width);
    if (!outcome.comparisons.empty())
      terminal.out << "\npublished beside obtained\n" << comparison_text(outcome.comparisons, terminal.width);
  }

  WindowOption window_;
  bool compress_ = false;
  std::string scenario_, output_;
  Overrides overrides_;
  std::vector<std::string> settings_;
  bool json_ = false;
  bool serve_ = false;
  bool base_only_ = false;
  bool all_ = false;
  bool native_ = false;
  bool pin_ = false;
  bool modelled_work_ = false;
};

}  // namespace

std::unique_ptr<Command> make_run() { return std::make_unique<RunCommand>(); }

}  // namespace dpm::cli
