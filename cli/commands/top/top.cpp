// dpm top: the processes of a program while it runs: CPU time, messages and bytes a second, queues.
#include <fmt/format.h>
#include <langinfo.h>
#include <unistd.h>

#include <chrono>
#include <clocale>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <thread>

#include "answers/follow/followed_trace.hpp"
#include "cli/command.hpp"
#include "cli/output_folder.hpp"
#include "cli/top/metered_command.hpp"
#include "cli/top/top_results.hpp"
#include "cli/top/waits_now.hpp"
#include "cli/top/watch.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

constexpr std::uint64_t kEverything = ~std::uint64_t{0};
constexpr double kPeriodLeast_s = .05, kPeriodMost_s = 3600;

bool shows_unicode() {
  std::setlocale(LC_CTYPE, "");
  return std::string_view(::nl_langinfo(CODESET)) == "UTF-8";
}

class TopCommand : public Command {
 public:
  std::string name() const override { return "top"; }
  std::string summary() const override { return "Watch a program in the terminal while it runs"; }
  std::string example() const override { return "dpm top -- redis-server --port 7000"; }
  std::vector<std::string>* program_words() override { return &what_; }

  void describe(Options& options) override {
    options
        .list("WHAT", what_,
              "A trace directory, or the output directory of dpm meter or dpm run, which may still be written; or a "
              "command to meter, after --")
        .required();
    options.value("-o,--output", output_, "For a command: the new directory of its trace (default: dpm-NAME-PID)");
    options.value("-d,--delay", period_s_, "Seconds between two updates")
        .between(kPeriodLeast_s, kPeriodMost_s)
        .show_default();
    options.flag("-b,--batch", batch_, "Print one update as plain text (default where the output is not a terminal)");
    options.flag("--json", json_, "Print one update as JSON");
    describe_threads(options, threads_);
    describe_all(options, all_);
  }

  int run(Terminal& terminal) override {
    std::string path = what_.front();
    std::optional<MeteredCommand> command;
    if (what_.size() > 1 || !std::filesystem::exists(path)) {
      auto started = start();
      if (!started) return refuse(terminal, *this, no_trace(path, started.error()));
      command = std::move(*started);
      path = command->output();
    } else if (!output_.empty()) {
      return refuse(terminal, *this, Error{"-o is for a command, and '" + path + "' is a trace"});
    }
    auto trace = FollowedTrace::open(path);
    if (!trace) return refuse(terminal, *this, trace.error());
    const bool is_shown = !batch_ && !json_ && ::isatty(STDOUT_FILENO) == 1 && ::isatty(STDIN_FILENO) == 1;
    const int status = is_shown ? show(*trace, path, terminal) : print(*trace, path, terminal);
    if (command) say_where(*command, terminal);
    return status;
  }

 private:
  Error no_trace(const std::string& path, const Error& error) const {
    if (what_.size() > 1) return error;
    return Error{fmt::format("'{}' is not a directory with a trace, and as a command: {}", path, error.what)};
  }

  Result<MeteredCommand> start() {
    const std::string output =
        output_.empty() ? OutputFolder::default_name(what_.front(), static_cast<std::uint32_t>(::getpid())) : output_;
    auto command = MeteredCommand::start(what_, output);
    if (!command) return command;
    if (auto done = command->await_trace(); !done) return done.error();
    return command;
  }

  int show(FollowedTrace& trace, const std::string& path, Terminal& terminal) {
    auto drawn = view::TerminalScreen::open(terminal.colour);
    if (!drawn) return refuse(terminal, *this, drawn.error());
    TopScreen screen(what_.size() > 1 || !output_.empty() ? what_.front() : path, shows_unicode());
    screen.set_period_s(period_s_);
    screen.set_threads(threads_);
    watch(trace, path, screen, *drawn);
    return kDone;
  }

  // Two looks at a program that runs; the whole run of one that has ended.
  int print(FollowedTrace& trace, const std::string& path, Terminal& terminal) {
    trace.read(kEverything);
    const TraceTotals before = trace.totals();
    if (!trace.is_over()) {
      std::this_thread::sleep_for(std::chrono::duration<double>(period_s_));
      trace.read(kEverything);
    }
    if (!trace.is_over()) {
      const TraceTotals after = trace.totals();
      const double period_s = period_between_s(before, after, period_s_, trace.info());
      TopNumbers numbers = rates_between(before, after, period_s, trace.info(), threads_);
      WaitsNow().look(numbers, trace.info(), threads_);
      print(numbers, terminal);
      return kDone;
    }
    const auto ended = read_totals(path);
    if (!ended) return refuse(terminal, *this, ended.error());
    print(rates_of_run(ended->totals, ended->info, threads_), terminal);
    return kDone;
  }

  void print(const TopNumbers& numbers, Terminal& terminal) const {
    if (json_) {
      print_json(top_json(numbers), terminal);
    } else {
      terminal.out << top_text(numbers, terminal.width, all_);
    }
  }

  static void say_where(MeteredCommand& command, Terminal& terminal) {
    const std::string output = printable(command.output());
    if (!command.has_ended())
      terminal.err << fmt::format(
          "the command runs on and is metered: 'dpm top {}' shows it again, 'dpm stop {}' ends the "
          "metering\n",
          output, command.pid());
    terminal.err << fmt::format("the trace is in {}, the output of the command in {}\n", output,
                                printable(command.log()));
  }

  std::vector<std::string> what_;
  std::string output_;
  double period_s_ = 1;
  bool batch_ = false, json_ = false, threads_ = false, all_ = false;
};

}  // namespace

std::unique_ptr<Command> make_top() { return std::make_unique<TopCommand>(); }

}  // namespace dpm::cli
