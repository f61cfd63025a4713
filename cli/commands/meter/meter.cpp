// dpm meter: runs a program on this machine and meters it. The process that is called becomes the program; the code after
// launch() runs in its supervisor.
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "answers/results/ledger_results.hpp"
#include "cli/command.hpp"
#include "cli/meter/audit_run.hpp"
#include "cli/meter/conclude.hpp"
#include "cli/meter/doctor_results.hpp"
#include "cli/meter/meter_summary.hpp"
#include "cli/meter/results_recording.hpp"
#include "cli/meter/source_option.hpp"
#include "cli/meter/stay_beside.hpp"
#include "cli/meter/summaries_option.hpp"
#include "cli/sampling/background_sampler.hpp"
#include "cli/schedule/record_schedule.hpp"
#include "cli/scripting/script_file.hpp"
#include "cli/serving/page_process.hpp"
#include "cli/trace_options/compress_option.hpp"
#include "cli/trace_options/window_option.hpp"
#include "os/find_program.hpp"
#include "os/startable_tasks.hpp"
#include "text/printable.hpp"
#include "trace/recording_lock.hpp"

namespace dpm::cli {
namespace {

constexpr double kIntervalLeast_s = .001, kIntervalMost_s = 3600, kNsPerSecond = 1e9;

// Fails with the doctor's words if calls cannot wait for us here.
Result<void> check_notification(MachineCapabilities machine) {
  machine.kernel_source_problem = "another source was chosen";  // it would make what is missing a limit
  std::string text;
  for (const auto& check : diagnose(machine)) {
    if (check.verdict != Verdict::missing || check.advice.empty()) continue;
    text += fmt::format("{}{}: {}. {}", text.empty() ? "" : "; ", check.name, check.found, check.advice);
  }
  if (text.empty()) return {};
  return Error{fmt::format("programs cannot be metered here: {} ('dpm doctor' says more)", text)};
}

class MeterCommand : public Command {
 public:
  std::string name() const override { return "meter"; }
  std::string summary() const override { return "Run a program and meter it, unchanged"; }
  std::string example() const override { return "dpm meter -o out -- redis-server --port 7000"; }
  std::vector<std::string>* program_words() override { return &command_; }

  void describe(Options& options) override {
    options.list("COMMAND", command_, "The program and its arguments, after --").required();
    options
        .value("-o,--output", output_,
               "A new directory for trace, results.json and report.html (default: dpm-NAME-PID); with --summary, a new "
               "file for the results")
        .check(directory_name);
    const Option summary = options.flag(
        "--summary", summary_only_,
        "Keep no trace: only print the summary, or keep results in a file (-o), in bounded memory, also for months");
    options.flag("--serve", serve_, "Show the program in the browser while it runs: prints the address of a page")
        .excludes(summary);
    const Option flags =
        options.value("--flags", flags_, "Which events, such as send,receive or -accept (default: all)");
    const Option templates =
        options.value("--templates", templates_, "The selection rules of the filter (default: everything is kept)");
    options.value("--script", script_,
                  "Record events inside programs too: those of this event script, in the same trace");
    summaries_.describe(options);
    options.flag("--exact-paths", options_.exact_paths,
                 "Be notified of socket, connect, dup and close as well; a signal may then disturb these");
    options.flag("--where", where_,
                 "Record which function of the program made each call, not only of the C library; calls take longer");
    options.flag("--whole-cpu", whole_cpu_time_, "Do not subtract the cost of notification from CPU times");
    const Option sample =
        options
            .flag("--sample", samples_,
                  "Also sample what each thread does, so that 'dpm blame' can divide times that the trace "
                  "does not have")
            .excludes(summary);
    options.value("--sample-every", sample_s_, "Seconds between two of these samples").needs(sample).show_default();
    window_.describe(options, "trace");
    describe_compress(options, compress_);
    source_.describe(options, options_);
    schedule_.describe_optional(options);
    const Option wait =
        options.flag("--wait", wait_,
                     "Stay the program's parent until the trace is complete and the summary printed (default: "
                     "on a terminal until the command ends, elsewhere not)");
    const Option no_wait = options.flag("--no-wait", become_, "Become the program, on a terminal too").excludes(wait);
    options
        .flag("--audit", audit_,
              "At the end, compare the trace with counts of the kernel that share no code with the meter; the exit "
              "status is 3 if "
              "they differ and nothing was counted as lost. Implies --wait")
        .excludes(no_wait)
        .excludes(summary)
        .excludes(flags)
        .excludes(templates);
  }

  int run(Terminal& terminal) override {
    if (!(sample_s_ >= kIntervalLeast_s && sample_s_ <= kIntervalMost_s))
      return refuse(terminal, *this,
                    Error{fmt::format("--sample-every {:g}: an interval has from {:g} to {:g} seconds", sample_s_,
                                      kIntervalLeast_s, kIntervalMost_s)});
    auto plan = plan_recording(flags_, templates_, summaries_.interval());
    if (!plan) return refuse(terminal, *this, plan.error());
    if (const auto done = check_results(); !done) return refuse(terminal, *this, done.error());
    plan->form = {window_.window(), compress_};
    if (auto done = schedule_.check(); !done) return refuse(terminal, *this, done.error());
    plan->callers = where_;
    plan->whole_cpu_time = whole_cpu_time_;
    const FoundProgram program = find_program(command_.front());
    if (!program) {
      refuse(terminal, *this, Error{program.problem});
      return program.exit_status;
    }
    if (const auto done = check_inside(); !done) return refuse(terminal, *this, done.error());
    if (const auto done = check_descriptors(); !done) return refuse(terminal, *this, done.error());
    if (const auto done = need_tasks("the meter", kMeterTasks); !done) return refuse(terminal, *this, done.error());
    auto source = source_.choose({.callers = where_, .hand_overs = options_.hand_overs});
    if (!source) return refuse(terminal, *this, source.error());
    if (source->methods.front()->notifies())
      if (auto done = prepare_notification(program, terminal); !done) return refuse(terminal, *this, done.error());

    // When the first process of a container ends, the kernel kills all others, the meter too.
    wait_ = wait_ || audit_ || ::getpid() == 1;
    const bool stays = wait_ || (terminal.err_is_tty && !become_);
    // A parent that stays needs the folder before it knows the program's process id.
    const auto front_pid = static_cast<std::uint32_t>(::getpid());
    const auto folder = make_folder(front_pid);
    if (!folder) return refuse(terminal, *this, folder.error());
    if (stays) {
      const auto status = stay_beside(folder->path(), [&](int program_status) -> std::optional<int> {
        warn_of_missing_results(*folder, terminal);
        if (audit_ && has_failed(*folder, program_status, terminal)) return kAuditDiffers;
        return std::nullopt;
      });
      if (!status) return refuse(terminal, *this, status.error());
      if (*status) return **status;
    }
    return become(*std::move(source), *std::move(plan), *folder, front_pid, terminal);
  }

 private:
  // What is refused is refused before the program starts. The plan itself is made once, in the supervisor.
  Result<void> check_inside() const {
    if (script_.empty()) return {};
    if (const auto script = load_event_script(script_); !script) return script.error();
    return InsidePlan::check();
  }

  bool keeps_results() const { return summary_only_ && !output_.empty(); }

  Result<void> check_results() const {
    if (!keeps_results()) return {};
    if (window_.is_given() || compress_)
      return Error{"--window and --compress are of a trace, and --summary keeps none"};
    if (schedule_.is_asked_for()) return Error{"--schedule writes beside a trace, and --summary keeps none"};
    if (::access(output_.c_str(), F_OK) == 0)
      return Error{fmt::format("{} exists, and nothing is overwritten", printable(output_))};
    return {};
  }

  // With fewer, calls go uninspected and are counted as lost; the watches of the meter itself need some, and the audit more.
  Result<void> check_descriptors() const {
    const rlim_t least = audit_ ? 24 : 16;
    rlimit limit = {};
    if (::geteuid() == 0 || ::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max >= least) return {};
    return Error{
        fmt::format("the meter{} needs {} open files, and this account may open {}: raise 'ulimit -Hn' before dpm",
                    audit_ ? " with --audit" : "", least, limit.rlim_max)};
  }

  // Events of the meter in the script are recorded without it; dpm events looks for them. Null: none are wanted.
  Result<std::unique_ptr<InsidePlan>> plan_inside() const {
    if (script_.empty()) return std::unique_ptr<InsidePlan>();
    auto script = load_event_script(script_);
    if (!script) return script.error();
    return InsidePlan::prepare(*std::move(script), command_);
  }

  Result<void> prepare_notification(const FoundProgram& program, Terminal& terminal) const {
    const MachineCapabilities machine = probe_capabilities();
    if (auto done = check_notification(machine); !done) return done;
    if (program.gains_privileges && !machine.may_administrate && !machine.no_new_privileges)
      terminal.err << "dpm meter: '" << printable(command_.front())
                   << "' gains privileges when it starts; metered without root, it does not (no_new_privs)\n";
    return {};
  }

  Result<OutputFolder> make_folder(std::uint32_t pid) const {
    if (summary_only_) return OutputFolder::scratch();
    return OutputFolder::create(output_.empty() ? OutputFolder::default_name(command_.front(), pid) : output_);
  }

  // A supervisor that was killed can no longer say so itself.
  void warn_of_missing_results(const OutputFolder& folder, Terminal& terminal) const {
    if (!wait_) return;  // it may not have come to its results yet
    if (::access(folder.path().c_str(), F_OK) != 0 || ::access(folder.results().c_str(), F_OK) == 0) return;
    terminal.err << "dpm meter: the meter ended before it had written its results; "
                 << (folder.is_kept() ? "its recording until then is in " + printable(folder.path())
                                      : std::string("the program was not metered to its end"))
                 << '\n'
                 << std::flush;
    if (!folder.is_kept()) folder.remove();
  }

  // Returns in the supervisor, when the program has ended. `front_pid` is the process that was called: it becomes the program, or stays
  // beside it.
  int become(SourceOption::Choice source, RecordingPlan plan, const OutputFolder& folder, std::uint32_t front_pid,
             Terminal& terminal) {
    auto run =
        SourceOption::begin(source, [this](const MeteringMethod& method) { return method.launch(command_, options_); });
    if (!run) {
      folder.remove();
      return refuse(terminal, *this, run.error());
    }
    // Here, because a supervisor keeps no descriptors from before. The program has not begun yet.
    if (auto inside = plan_inside())
      plan.inside = *std::move(inside);
    else
      terminal.err << "dpm meter: no events inside programs: " << printable(inside.error().what) << '\n';
    auto lock = RecordingLock::hold(folder.path());  // stay_beside() waits until it is released
    if (serve_)
      if (auto done = start_page(folder.absolute_path()); !done)
        terminal.err << "dpm meter: no page: " << done.error().what << '\n';
    const auto sampler = start_sampler((*run)->facts().pid, folder, terminal);
    auto audit = audit_ ? std::optional(AuditRun::begin((*run)->facts().pid)) : std::nullopt;
    MeteredFacts facts = (*run)->facts();
    facts.source = plan.chosen = source.reason;
    if (keeps_results())
      return keep_results(**run, std::move(plan), std::move(facts), folder, lock ? &*lock : nullptr, terminal);
    Conclusion conclusion(folder, std::move(facts), terminal,
                          {.control_c_ends_it = wait_, .silent = terminal.err_is_tty && !wait_});
    auto schedule = schedule_.prepare(folder, {source.methods.front()->notifies(), front_pid});
    if (!schedule) return refuse(terminal, *this, schedule.error());
    const auto recorded = record(**run, std::move(plan),
                                 {.trace = folder.trace(),
                                  .output = folder.is_kept() ? folder.absolute_path() : "",
                                  .stop_signals = {SIGTERM},
                                  .listener = schedule->get(),
                                  .on_left_behind = [&](const Recorded& so_far, const std::vector<ProcessLeft>& left) {
                                    conclusion.so_far(so_far, left);
                                    if (lock && !wait_) lock->release();  // the shell waits only for the command
                                  }});
    if (!recorded) return refuse(terminal, *this, recorded.error());
    if (sampler)
      if (auto done = sampler->end(); !done) terminal.err << "warning: " << printable(done.error().what) << '\n';
    if (auto done = schedule_.conclude(schedule->get(), folder, terminal); !done)
      return refuse(terminal, *this, done.error());
    if (auto done = conclusion.at_end(*recorded); !done) return refuse(terminal, *this, done.error());
    const bool cost_is_subtracted = source.methods.front()->notifies() && !whole_cpu_time_;
    if (audit)
      if (auto done = audit->end(*recorded, cost_is_subtracted, folder, terminal); !done)
        return refuse(terminal, *this, done.error());
    return kDone;
  }

  // Instead of a trace. `folder` has only the lock.
  int keep_results(MeteredRun& run, RecordingPlan plan, MeteredFacts facts, const OutputFolder& folder,
                   RecordingLock* lock, Terminal& terminal) {
    const auto left_behind = [&](const std::vector<ProcessLeft>& left) {
      terminal.err << "dpm: " << goes_on_line(left, facts.pid, wait_) << '\n' << std::flush;
      if (lock != nullptr && !wait_) lock->release();  // the shell waits only for the command
    };
    const auto results = record_results(run, std::move(plan),
                                        {.file = std::filesystem::absolute(output_).string(),
                                         .stop_signals = {SIGTERM},
                                         .on_left_behind = left_behind});
    folder.remove();
    if (!results) return refuse(terminal, *this, results.error());
    Findings found;
    found.statistics = results->statistics;
    terminal.err << meter_summary(facts, results->recorded, found);
    print_ledger(results->recorded.ledger, terminal);
    terminal.err << "wrote " << printable(output_) << ": results, without a trace\n";
    return results->recorded.failure.empty() ? kDone : refuse(terminal, *this, Error{results->recorded.failure});
  }

  // Null: samples are not wanted, or cannot be taken.
  std::unique_ptr<BackgroundSampler> start_sampler(std::uint32_t pid, const OutputFolder& folder,
                                                   Terminal& terminal) const {
    if (!samples_) return nullptr;
    auto started =
        BackgroundSampler::start(pid, folder.samples(), static_cast<std::uint64_t>(sample_s_ * kNsPerSecond + .5));
    if (started) return *std::move(started);
    terminal.err << "dpm meter: no samples: " << printable(started.error().what) << '\n';
    return nullptr;
  }

  std::string output_, flags_, templates_, script_;
  SourceOption source_;
  SummariesOption summaries_;
  WindowOption window_;
  bool compress_ = false;
  RecordSchedule schedule_;
  MeteringMethod::Options options_;
  std::vector<std::string> command_;
  double sample_s_ = .023;
  bool summary_only_ = false;
  bool samples_ = false;
  bool where_ = false;
  bool serve_ = false;
  bool whole_cpu_time_ = false;
  bool wait_ = false;
  bool become_ = false;
  bool audit_ = false;
};

}  // namespace

std::unique_ptr<Command> make_meter() { return std::make_unique<MeterCommand>(); }

}  // namespace dpm::cli
