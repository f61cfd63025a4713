// dpm acquire: meters a process that already runs, until it ends or dpm is interrupted; then its keeper lets its calls
// pass. A program whose meter was killed is taken over from its keeper. If the keeper was killed too, it is rescued.
#include <CLI/CLI.hpp>
#include <csignal>

#include "backends/linux/capture/kernel/process_files.hpp"
#include "cli/command.hpp"
#include "cli/input/window_option.hpp"
#include "cli/meter/conclude.hpp"
#include "cli/meter/metering.hpp"
#include "cli/meter/source_option.hpp"
#include "cli/serving/page_process.hpp"
#include "trace/recording_lock.hpp"

namespace dpm::cli {
namespace {

class AcquireCommand : public Command {
 public:
  std::string name() const override { return "acquire"; }
  std::string summary() const override { return "Meter a process that already runs, and let it go again"; }
  std::string example() const override { return "dpm acquire 1234 -o out"; }

  void describe(CLI::App& app) override {
    app.add_option("PID", pid_, "The process; its threads and the children that it starts from now on are metered too")
        ->required()
        ->check(process_number);
    app.add_option("-o,--output", output_,
                   "A new directory for trace, results.json and report.html (default: dpm-NAME-PID)");
    app.add_option("--flags", flags_, "Which events, such as send,receive or -accept (default: all)");
    app.add_option("--templates", templates_, "The selection rules of the filter (default: everything is kept)");
    app.add_flag("--exact-paths", options_.exact_paths,
                 "Be notified of socket, connect, dup and close as well; a signal may then disturb these");
    app.add_flag("--serve", serve_, "Show the program in the browser while it runs: prints the address of a page");
    window_.describe(app, "trace");
    source_.describe(app, options_);
  }

  int run(Terminal& terminal) override {
    auto plan = plan_recording(flags_, templates_);
    if (!plan) return refuse(terminal, *this, plan.error());
    plan->window = window_.window();
    auto source = source_.choose({.running_pid = pid_});
    if (!source) return refuse(terminal, *this, source.error());
    const std::string name = read_command_name(pid_, pid_);
    const auto folder = OutputFolder::create(output_.empty() ? OutputFolder::default_name(name, pid_) : output_);
    if (!folder) return refuse(terminal, *this, folder.error());
    auto run =
        SourceOption::begin(*source, [this](const MeteringMethod& method) { return method.acquire(pid_, options_); });
    if (!run) {
      folder->remove();
      return refuse(terminal, *this, run.error());
    }
    return meter(**run, source->reason, *std::move(plan), *folder, terminal);
  }

 private:
  int meter(MeteredRun& run, const std::string& source, RecordingPlan plan, const OutputFolder& folder,
            Terminal& terminal) {
    const auto lock = RecordingLock::hold(folder.path());
    if (terminal.err_is_tty) terminal.err << "metering process " << pid_ << "; interrupt (control-C) to let it go\n";
    if (serve_)
      if (auto done = start_page(folder.absolute_path()); !done)
        terminal.err << "dpm acquire: no page: " << done.error().what << '\n';
    MeteredFacts facts = run.facts();
    facts.source = source;
    Conclusion conclusion(folder, std::move(facts), terminal, {.control_c_ends_it = true});
    const auto recorded = record(run, std::move(plan),
                                 {.trace = folder.trace(),
                                  .output = folder.absolute_path(),
                                  .stop_signals = {SIGINT, SIGTERM, SIGHUP},
                                  .on_left_behind = [&](const Recorded& so_far, const std::vector<ProcessLeft>& left) {
                                    conclusion.so_far(so_far, left);
                                  }});
    if (!recorded) return refuse(terminal, *this, recorded.error());
    if (auto done = conclusion.at_end(*recorded); !done) return refuse(terminal, *this, done.error());
    return kDone;
  }

  std::uint32_t pid_ = 0;
  std::string output_, flags_, templates_;
  bool serve_ = false;
  SourceOption source_;
  WindowOption window_;
  MeteringMethod::Options options_;
};

}  // namespace

std::unique_ptr<Command> make_acquire() { return std::make_unique<AcquireCommand>(); }

}  // namespace dpm::cli
