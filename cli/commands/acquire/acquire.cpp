// dpm acquire: meters a process that already runs, until it ends or dpm is interrupted; then its keeper lets its calls
// pass. A program whose meter was killed is taken over from its keeper. If the keeper was killed too, it is rescued.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>

#include "cli/command.hpp"
#include "cli/meter/conclude.hpp"
#include "cli/meter/doctor_results.hpp"
#include "cli/meter/metering.hpp"
#include "cli/meter/source_option.hpp"
#include "cli/meter/summaries_option.hpp"
#include "cli/schedule/record_schedule.hpp"
#include "cli/serving/page_process.hpp"
#include "cli/trace_options/compress_option.hpp"
#include "cli/trace_options/window_option.hpp"
#include "os/kernel/process_files.hpp"
#include "os/startable_tasks.hpp"
#include "trace/recording_lock.hpp"

namespace dpm::cli {
namespace {

class AcquireCommand : public Command {
 public:
  std::string name() const override { return "acquire"; }
  std::string summary() const override { return "Meter a process that already runs, and release it again"; }
  std::string example() const override { return "dpm acquire 1234 -o out"; }

  void describe(Options& options) override {
    const Option pid =
        options
            .value("PID", pid_, "The process; its threads and the children that it starts from now on are metered too")
            .check(process_number);
    const Option cgroup =
        options
            .value("--cgroup", scope_.cgroup,
                   "Instead of a process: all of this cgroup and of those below it, also those that enter or "
                   "start later; a folder, or a place such as /system.slice/redis.service")
            .excludes(pid);
    options.flag("--everything", everything_, "Instead of a process: all of this machine but those of dpm")
        .excludes(pid)
        .excludes(cgroup);
    options.value("--for", limit_,
                  "Release it after this time, such as 30s or 5m (default: at the end, or at control-C)");
    options.value("-o,--output", output_,
                  "A new directory for trace, results.json and report.html (default: dpm-NAME-PID)");
    options.value("--flags", flags_, "Which events, such as send,receive or -accept (default: all)");
    options.value("--templates", templates_, "The selection rules of the filter (default: everything is kept)");
    summaries_.describe(options);
    options.flag("--exact-paths", options_.exact_paths,
                 "Be notified of socket, connect, dup and close as well; a signal may then disturb these");
    options.flag("--serve", serve_, "Show the program in the browser while it runs: prints the address of a page");
    window_.describe(options, "trace");
    describe_compress(options, compress_);
    source_.describe(options, options_);
    schedule_.describe_optional(options);
  }

  int run(Terminal& terminal) override {
    auto plan = plan_recording(flags_, templates_, summaries_.interval());
    if (!plan) return refuse(terminal, *this, plan.error());
    plan->form = {window_.window(), compress_};
    if (auto done = schedule_.check(); !done) return refuse(terminal, *this, done.error());
    if (pid_ == 0 && !is_scope())
      return refuse(terminal, *this, Error{"a process, --cgroup or --everything is required"});
    if (const auto done = need_tasks("the meter", kMeterTasks); !done) return refuse(terminal, *this, done.error());
    auto source = source_.choose({.running_pid = pid_, .scope = is_scope(), .hand_overs = options_.hand_overs});
    if (!source) return refuse(terminal, *this, source.error());
    const auto folder = OutputFolder::create(output_.empty() ? default_output() : output_);
    if (!folder) return refuse(terminal, *this, folder.error());
    auto run = SourceOption::begin(*source, [this](const MeteringMethod& method) {
      return is_scope() ? method.acquire_scope(scope_, options_) : method.acquire(pid_, options_);
    });
    if (!run) {
      folder->remove();
      return refuse(terminal, *this, run.error());
    }
    return meter(**run, *source, *std::move(plan), *folder, terminal);
  }

 private:
  bool is_scope() const { return everything_ || !scope_.cgroup.empty(); }
  std::string default_output() const {
    if (!is_scope()) return OutputFolder::default_name(read_command_name(pid_, pid_), pid_);
    const auto own_pid = static_cast<std::uint32_t>(::getpid());
    const std::string name = std::filesystem::path(scope_.cgroup).filename();
    return OutputFolder::default_name(everything_ ? "everything" : name.empty() ? "cgroup" : name, own_pid);
  }

  int meter(MeteredRun& run, const SourceOption::Choice& source, RecordingPlan plan, const OutputFolder& folder,
            Terminal& terminal) {
    const auto lock = RecordingLock::hold(folder.path());
    if (terminal.err_is_tty)
      terminal.err << "metering " << (is_scope() ? run.facts().command : fmt::format("process {}", pid_))
                   << "; interrupt (control-C) to release it\n";
    if (serve_)
      if (auto done = start_page(folder.absolute_path()); !done)
        terminal.err << "dpm acquire: no page: " << done.error().what << '\n';
    MeteredFacts facts = run.facts();
    facts.source = plan.chosen = source.reason;
    Conclusion conclusion(folder, std::move(facts), terminal, {.control_c_ends_it = true});
    auto schedule = schedule_.prepare(folder, {.calls_wait = source.methods.front()->notifies()});
    if (!schedule) return refuse(terminal, *this, schedule.error());
    const auto recorded = record(run, std::move(plan),
                                 {.trace = folder.trace(),
                                  .output = folder.absolute_path(),
                                  .stop_signals = {SIGINT, SIGTERM, SIGHUP},
                                  .limit = limit_,
                                  .listener = schedule->get(),
                                  .on_left_behind = [&](const Recorded& so_far, const std::vector<ProcessLeft>& left) {
                                    conclusion.so_far(so_far, left);
                                  }});
    if (!recorded) return refuse(terminal, *this, recorded.error());
    if (auto done = schedule_.conclude(schedule->get(), folder, terminal); !done)
      return refuse(terminal, *this, done.error());
    if (auto done = conclusion.at_end(*recorded); !done) return refuse(terminal, *this, done.error());
    return kDone;
  }

  std::uint32_t pid_ = 0;
  MeteringMethod::Scope scope_;
  bool everything_ = false;
  SummariesOption summaries_;
  std::optional<Duration> limit_;
  std::string output_, flags_, templates_;
  bool serve_ = false;
  SourceOption source_;
  WindowOption window_;
  bool compress_ = false;
  RecordSchedule schedule_;
  MeteringMethod::Options options_;
};

}  // namespace

std::unique_ptr<Command> make_acquire() { return std::make_unique<AcquireCommand>(); }

}  // namespace dpm::cli
