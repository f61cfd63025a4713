// dpm script: the events of programs that use libdpm, as an event script wants them, while they happen.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "answers/results/ledger_results.hpp"
#include "cli/command.hpp"
#include "cli/sampling/sampled_command.hpp"
#include "cli/scripting/high_level_results.hpp"
#include "cli/scripting/live_evaluation.hpp"
#include "cli/scripting/running_processes.hpp"
#include "cli/scripting/script_actions.hpp"
#include "cli/scripting/script_file.hpp"
#include "cli/scripting/script_results.hpp"
#include "cli/scripting/script_trace.hpp"
#include "cli/scripting/script_watch.hpp"
#include "os/machine.hpp"
#include "os/stop_signals.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

// A ring holds 16,384 records; a thread that does nothing else fills it in half a millisecond, most in seconds.
constexpr int kPauseBusy_ms = 1, kPauseIdle_ms = 5;
// A record is written some microseconds after its time. A thread may lose the CPU in between.
constexpr std::int64_t kLatestRecord_ns = 50'000'000;

std::int64_t now_ns() { return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count(); }

class ScriptCommand : public Command {
 public:
  std::string name() const override { return "script"; }
  std::string summary() const override {
    return "Report the events of programs that use libdpm, as an event script wants them";
  }
  std::string example() const override { return "dpm script server.events -- ./server 7000"; }
  std::vector<std::string>* program_words() override { return &command_; }

  void describe(Options& options) override {
    options.value("SCRIPT", script_, "The event script").required();
    const Option command =
        options.list("COMMAND", command_,
                     "A command to start, after --; without it, the programs that run or are started until Control-C");
    options
        .list("--pid", pids_,
              "Only this process, which runs already, and its children; repeat for several. Ends when they do")
        .check(process_number)
        .one_word_each()
        .excludes(command);
    options.value("--for", limit_, "End after this time, such as 30s or 5m");
    options.flag("--json", json_, "Print each event as a line of JSON, and the summary as the last line");
    options.value("-o,--output", output_, "A new file for the events, apart from the output of the command");
    options.value("--trace", trace_,
                  "A new directory for a trace of the events, for dpm events and all other analyses");
    options.flag("-q,--quiet", quiet_, "Print only how often each event happened");
  }

  int run(Terminal& terminal) override {
    const auto script = load_event_script(script_);
    if (!script) return refuse(terminal, *this, script.error());
    if (const std::string job = job_in(*script); !job.empty())
      return refuse(terminal, *this,
                    Error{fmt::format("{}: jobs such as '{}' are those of dpm control; here, 'stop' and "
                                      "'flags' mean the programs of the script",
                                      printable(script_), printable(job))});
    const auto chosen = RunningProcesses::find(pids_);
    if (!chosen) return refuse(terminal, *this, chosen.error());
    auto file = open_output();
    if (!file) return refuse(terminal, *this, file.error());
    auto folder = ProgramFolder::take();
    if (!folder) return refuse(terminal, *this, folder.error());
    std::optional<SampledCommand> command;
    if (!command_.empty()) {
      auto prepared = SampledCommand::prepare(command_);
      if (!prepared) return refuse(terminal, *this, prepared.error());
      command.emplace(std::move(*prepared));
    }
    ScriptWatch watch(*script, *std::move(folder), machine_name(), pids_.empty() ? command_ : chosen->files(),
                      chosen->pids());
    if (const std::string why = chosen->refusal_without_probes(watch.refusal_of_probes()); !why.empty())
      return refuse(terminal, *this, Error{why});
    std::unique_ptr<ScriptTrace> trace;
    if (!trace_.empty()) {
      auto created = ScriptTrace::create(trace_, command_.empty() ? script_ : command_.front());
      if (!created) return refuse(terminal, *this, created.error());
      trace = *std::move(created);
    }
    ScriptActions actions(watch);
    LiveEvaluation evaluation(
        watch, [&actions](const HighLevelOccurrence& found) { return actions.perform(found); },
        [this, &terminal](const HighLevelOccurrence& found, const std::string& text) {
          if (quiet_) return;
          std::ostream& out = command_.empty() ? terminal.out : terminal.err;
          out << (json_ ? "" : time_text(static_cast<std::uint64_t>(found.time_ns)) + ' ') << text << std::flush;
        },
        json_);
    follow(watch, command, *chosen, {output_.empty() ? terminal.out : *file, trace.get(), evaluation}, terminal);
    conclude(watch, evaluation, terminal);
    if (trace) {
      const auto ledger = trace->finish(watch);
      if (!ledger) return refuse(terminal, *this, ledger.error());
      print_ledger(*ledger, terminal);
    }
    return command && command->has_ended() ? command->exit_status() : kDone;
  }

 private:
  // The first that an action names.
  static std::string job_in(const EventScript& script) {
    for (const HighLevelEvent& event : script.high_level)
      for (const HighLevelAction& action : event.actions)
        if (!action.job.empty()) return action.job;
    return "";
  }

  Result<std::ofstream> open_output() const {
    std::ofstream file;
    if (output_.empty()) return file;
    if (::access(output_.c_str(), F_OK) == 0)
      return Error{fmt::format("{} exists already; nothing is overwritten", printable(output_))};
    file.open(output_);
    if (!file) return Error{fmt::format("cannot write {}", printable(output_))};
    return file;
  }

  // Where events go.
  struct Outputs {
    std::ostream& out;
    ScriptTrace* trace;  // or none
    LiveEvaluation& evaluation;
  };

  void follow(ScriptWatch& watch, std::optional<SampledCommand>& command, const RunningProcesses& chosen,
              const Outputs& outputs, Terminal& terminal) const {
    using Clock = std::chrono::steady_clock;
    StopSignals signals;
    const auto end = Clock::now() + std::chrono::nanoseconds(limit_.value_or(Duration{}).ns);
    report(watch, outputs, terminal);  // what runs already is told first
    if (command) command->begin();
    for (bool is_over = false; !is_over;) {
      // Asked first, so that the last look comes after the end.
      if (command && command->has_ended()) is_over = true;
      if (!pids_.empty() && chosen.have_ended()) is_over = true;
      if (limit_ && Clock::now() >= end) is_over = true;
      const bool is_busy = report(watch, outputs, terminal);
      if (is_over) break;
      std::array<pollfd, 2> waiting{pollfd{signals.descriptor(), POLLIN, 0}, pollfd{watch.descriptor(), POLLIN, 0}};
      ::poll(waiting.data(), waiting.size(), is_busy ? kPauseBusy_ms : kPauseIdle_ms);
      if (signals.take_end(command.has_value())) is_over = true;
    }
  }

  bool report(ScriptWatch& watch, const Outputs& outputs, Terminal& terminal) const {
    const std::int64_t looked_at_ns = now_ns();
    const auto occurrences = watch.take();
    for (const std::string& complaint : watch.take_complaints())
      terminal.err << "warning: " << printable(complaint) << '\n';
    for (const Occurrence& occurrence : occurrences) {
      if (quiet_) break;
      outputs.out << (json_ ? occurrence_json(occurrence, watch).dump()
                            : time_text(occurrence.time_ns) + ' ' + occurrence_text(occurrence, watch))
                  << '\n';
    }
    if (!occurrences.empty()) outputs.out.flush();
    if (outputs.trace != nullptr) outputs.trace->add(occurrences, watch);
    outputs.evaluation.add(occurrences, looked_at_ns - kLatestRecord_ns);
    return !occurrences.empty();
  }

  void conclude(const ScriptWatch& watch, const LiveEvaluation& evaluation, Terminal& terminal) const {
    for (const std::string& text : watch.unmet()) terminal.err << "warning: " << printable(text) << '\n';
    if (json_)
      terminal.out << script_summary_json(watch).dump() << '\n';
    else
      (command_.empty() ? terminal.out : terminal.err)
          << script_summary_text(watch, terminal.width)
          << high_level_summary_text(evaluation.evaluator(), watch.script());
  }

  std::string script_, output_, trace_;
  std::vector<std::string> command_;
  std::vector<std::uint32_t> pids_;
  std::optional<Duration> limit_;
  bool json_ = false, quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> make_script() { return std::make_unique<ScriptCommand>(); }

}  // namespace dpm::cli
