// dpm twin: makes a scenario that does what a trace shows, and runs it once to check it.
#include "twin/twin.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "answers/reading/trace_history.hpp"
#include "answers/reading/trace_input.hpp"
#include "answers/results/ledger_results.hpp"
#include "cli/command.hpp"
#include "cli/prediction/what_if_options.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "cli/twin/reproduction_results.hpp"
#include "cli/twin/twin_results.hpp"
#include "cli/twin/twin_trial.hpp"
#include "os/new_file.hpp"
#include "scenarios/scenario_file.hpp"
#include "text/printable.hpp"
#include "twin/scenario_text.hpp"

namespace dpm::cli {
namespace {

// What stands before and behind the last `separator`.
std::optional<std::pair<std::string, double>> name_and_number(const std::string& text, char separator) {
  const std::size_t at = text.rfind(separator);
  if (at == std::string::npos || at == 0) return std::nullopt;
  try {
    std::size_t used = 0;
    const double number = std::stod(text.substr(at + 1), &used);
    if (used + at + 1 != text.size()) return std::nullopt;
    return std::pair(text.substr(0, at), number);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

class TwinCommand : public Command {
 public:
  std::string name() const override { return "twin"; }
  std::string summary() const override { return DPM_COMMAND_SUMMARY; }
  std::string example() const override { return "dpm twin out -o twin.json --clients x2 && dpm run twin.json"; }

  void describe(Options& options) override {
    trace_.describe(options);
    options.value("-o,--output", output_, "The scenario file to write, a new one").required();
    options.value("--delays", delays_, "A delay model file, instead of the trace's delays");
    options.value("--clients", clients_, "Multiply the number of clients: x2");
    what_if_.describe(options);
    const Option no_run = options.flag("--no-run", no_run_, "Write the twin without running it");
    options
        .value("--bound", bound_percent_,
               "The percentage of the trace's messages that the twin must reproduce (default: 95)")
        .between(0.0, 100.0)
        .excludes(no_run);
  }

  int run(Terminal& terminal) override {
    twin::RecordingSink recorder;
    const auto input = read_trace(trace_.trace, {&recorder});
    if (!input) return refuse(terminal, *this, input.error());
    auto recording = recorder.take();
    if (!recording) return refuse(terminal, *this, about_trace(*input, recording.error()));
    twin::TwinOptions options;
    if (!delays_.empty()) {
      auto delays = load_delay_model(delays_);
      if (!delays) return refuse(terminal, *this, delays.error());
      options.delays = std::move(*delays);
    }
    auto trial = no_run_ ? untried(*recording, options) : tried(*recording, options, terminal);
    if (!trial) return refuse(terminal, *this, about_trace(*input, trial.error()));
    twin::Twin& made = trial->twin;
    if (auto changed = change(made); !changed) return refuse(terminal, *this, changed.error());
    if (no_run_)
      made.warnings.emplace_back(
          "the twin was not run: it may wait for messages that are not sent, or differ from the trace; leave out "
          "--no-run to find out");
    if (auto written = write_new_file(output_, twin::scenario_text(made)); !written)
      return refuse(terminal, *this, written.error());
    const twin::Reproduction* reproduction = no_run_ ? nullptr : &trial->reproduction;
    if (trace_.json) {
      auto document = twin_json(made, output_, input->ledger);
      if (reproduction != nullptr) document["reproduced"] = reproduction_json(*reproduction, bounds());
      print_json(document, terminal);
    } else {
      terminal.out << twin_text(made, terminal.width);
      if (reproduction != nullptr) terminal.out << '\n' << reproduction_text(*reproduction, terminal.width);
    }
    for (const auto& warning : made.warnings) terminal.err << "warning: " << printable(warning) << '\n';
    print_ledger(input->ledger, terminal);
    if (reproduction == nullptr || reproduction->lacks.empty()) return kDone;
    for (const auto& lack : reproduction->lacks)
      terminal.err << "dpm twin: the twin falls short: " << printable_lines(lack) << '\n';
    return kFellShort;
  }

 private:
  twin::Bounds bounds() const { return {.messages = bound_percent_ / 100, .T_error = twin::Bounds{}.T_error}; }

  static Result<TwinTrial> untried(const twin::Recording& recording, const twin::TwinOptions& options) {
    auto made = twin::make_twin(recording, options);
    if (!made) return made.error();
    return TwinTrial{std::move(*made), {}, 0};
  }

  Result<TwinTrial> tried(const twin::Recording& recording, const twin::TwinOptions& options,
                          Terminal& terminal) const {
    ProgressLine progress(terminal);
    auto trial = try_twin(recording, options, bounds(), [&](const std::string& what) { progress.show(what); });
    progress.clear();
    return trial;
  }

  Result<void> change(twin::Twin& made) const {
    if (!clients_.empty()) {
      const auto times = name_and_number("x" + clients_, 'x');
      if (!times || clients_.front() != 'x')
        return Error{fmt::format("--clients takes x and a number: x2, not '{}'", clients_)};
      if (auto done = twin::multiply_clients(made, times->second); !done) return done.error();
    }
    const auto what_if = what_if_.read();
    if (!what_if) return what_if.error();
    return twin::apply(made, *what_if);
  }

  TraceOptions trace_;
  std::string output_, delays_, clients_;
  bool no_run_ = false;
  double bound_percent_ = 100 * twin::Bounds{}.messages;
  WhatIfOptions what_if_;
};

}  // namespace

std::unique_ptr<Command> make_twin() { return std::make_unique<TwinCommand>(); }

}  // namespace dpm::cli
