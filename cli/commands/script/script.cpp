// dpm script: the events of programs that use libdpm, as an event script wants them, while they happen.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.hpp"
#include "cli/printable.hpp"
#include "cli/sampling/sampled_command.hpp"
#include "cli/scripting/script_results.hpp"
#include "cli/scripting/script_watch.hpp"
#include "os/machine.hpp"
#include "os/stop_signals.hpp"

namespace dpm::cli {
namespace {

// A ring holds 16,384 records; a thread that does nothing else fills it in half a millisecond, most in seconds.
constexpr int kPauseBusy_ms = 1, kPauseIdle_ms = 5;
constexpr std::size_t kScriptBytesMost = 64 << 20;

class ScriptCommand : public Command {
 public:
  std::string name() const override { return "script"; }
  std::string summary() const override {
    return "Report the events of programs that use libdpm, as an event script wants them";
  }
  std::string example() const override { return "dpm script server.events -- ./server 7000"; }
  std::vector<std::string>* program_words() override { return &command_; }

  void describe(CLI::App& app) override {
    app.add_option("SCRIPT", script_, "The event script")->required();
    app.add_option("COMMAND", command_,
                   "A command to start, after --; without it, the programs that run or are started until Control-C");
    app.add_option("--for", for_s_, "Seconds after which to end");
    app.add_flag("--json", json_, "Print each event as a line of JSON, and the summary as the last line");
    app.add_option("-o,--output", output_, "A new file for the events, apart from what the command prints");
    app.add_flag("-q,--quiet", quiet_, "Print only how often each event happened");
  }

  int run(Terminal& terminal) override {
    auto script = load();
    if (!script) return refuse(terminal, *this, script.error());
    std::ofstream file;
    if (!output_.empty()) {
      if (::access(output_.c_str(), F_OK) == 0)
        return refuse(terminal, *this,
                      Error{fmt::format("{} exists already; nothing is overwritten", printable(output_))});
      file.open(output_);
      if (!file) return refuse(terminal, *this, Error{fmt::format("cannot write {}", printable(output_))});
    }
    auto folder = ProgramFolder::take();
    if (!folder) return refuse(terminal, *this, folder.error());
    std::optional<SampledCommand> command;
    if (!command_.empty()) {
      auto prepared = SampledCommand::prepare(command_);
      if (!prepared) return refuse(terminal, *this, prepared.error());
      command.emplace(std::move(*prepared));
    }
    ScriptWatch watch(*std::move(script), *std::move(folder), machine_name());
    follow(watch, command, output_.empty() ? terminal.out : file, terminal);
    conclude(watch, terminal);
    return command && command->has_ended() ? command->exit_status() : kDone;
  }

 private:
  Result<EventScript> load() const {
    std::ifstream file(script_, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file || file.bad()) return Error{fmt::format("cannot read the script {}", printable(script_))};
    if (text.size() > kScriptBytesMost) return Error{fmt::format("{}: a script has at most 64 MB", printable(script_))};
    auto script = parse_event_script(script_, text);
    if (!script) return Error{printable(script.error().what)};
    if (script->events.empty()) return Error{fmt::format("{}: the script defines no event", printable(script_))};
    return script;
  }

  void follow(ScriptWatch& watch, std::optional<SampledCommand>& command, std::ostream& out, Terminal& terminal) const {
    using Clock = std::chrono::steady_clock;
    StopSignals signals;
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(for_s_));
    report(watch, out, terminal);  // what runs already is told first
    if (command) command->begin();
    for (bool is_over = false; !is_over;) {
      // Asked first, so that the last look comes after the end.
      if (command && command->has_ended()) is_over = true;
      if (for_s_ > 0 && Clock::now() >= end) is_over = true;
      const bool is_busy = report(watch, out, terminal);
      if (is_over) break;
      std::array<pollfd, 2> waiting{pollfd{signals.descriptor(), POLLIN, 0}, pollfd{watch.descriptor(), POLLIN, 0}};
      ::poll(waiting.data(), waiting.size(), is_busy ? kPauseBusy_ms : kPauseIdle_ms);
      const int signal = signals.take();
      // With a command, Control-C is for the command.
      if (signal == SIGTERM || (signal == SIGINT && !command)) is_over = true;
    }
  }

  bool report(ScriptWatch& watch, std::ostream& out, Terminal& terminal) const {
    const auto occurrences = watch.take();
    for (const std::string& complaint : watch.take_complaints())
      terminal.err << "warning: " << printable(complaint) << '\n';
    for (const Occurrence& occurrence : occurrences) {
      if (quiet_) break;
      out << (json_ ? occurrence_json(occurrence, watch).dump() + "\n" : occurrence_text(occurrence, watch));
    }
    if (!occurrences.empty()) out.flush();
    return !occurrences.empty();
  }

  void conclude(const ScriptWatch& watch, Terminal& terminal) const {
    for (const std::string& text : watch.unmet()) terminal.err << "warning: " << printable(text) << '\n';
    if (json_)
      terminal.out << script_summary_json(watch).dump() << '\n';
    else
      (command_.empty() ? terminal.out : terminal.err) << script_summary_text(watch, terminal.width);
  }

  std::string script_, output_;
  std::vector<std::string> command_;
  double for_s_ = 0;
  bool json_ = false, quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> make_script() { return std::make_unique<ScriptCommand>(); }

}  // namespace dpm::cli
