// dpm schedule: moves the processes of a running program between cores, by what is measured of them, until it ends or dpm is
// interrupted. Nothing is recorded.
#include <fmt/format.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/meter/descriptor_watch.hpp"
#include "cli/meter/limit_timer.hpp"
#include "cli/meter/source_option.hpp"
#include "cli/schedule/live_schedule.hpp"
#include "cli/schedule/schedule_results.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "cli/trace_options/window_option.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

class ScheduleCommand : public Command {
 public:
  std::string name() const override { return "schedule"; }
  std::string summary() const override {
    return "Move running processes between cores, and undo moves that have not helped";
  }
  std::string example() const override { return "dpm schedule 1234 --policy predicted --for 60s"; }

  void describe(Options& options) override {
    const Option pids =
        options
            .list("PID", scope_.pids, "The processes, with their threads and the children that they start from now on")
            .check(process_number);
    options
        .value("--cgroup", scope_.cgroup,
               "Instead: all processes of this cgroup and of those below it, also those that enter or start later")
        .excludes(pids);
    options_.describe(options);
    options.value("--for", limit_, "End after this time, such as 30s or 5m (default: at the end, or at control-C)");
    source_.describe(options, method_);
    options.flag("--json", json_, "Print the journal as JSON");
  }

  int run(Terminal& terminal) override {
    if (scope_.pids.empty() && scope_.cgroup.empty())
      return refuse(terminal, *this, Error{"a process or --cgroup is required"});
    auto plan = options_.plan();
    if (!plan) return refuse(terminal, *this, plan.error());
    if (auto may = check_account(); !may) return refuse(terminal, *this, may.error());
    const bool is_scope = scope_.pids.size() != 1;
    auto source = source_.choose(
        {.running_pid = is_scope ? 0 : scope_.pids.front(), .scope = is_scope, .hand_overs = method_.hand_overs});
    if (!source) return refuse(terminal, *this, source.error());
    auto run = SourceOption::begin(*source, [&](const MeteringMethod& method) {
      return is_scope ? method.acquire_scope(scope_, method_) : method.acquire(scope_.pids.front(), method_);
    });
    if (!run) return refuse(terminal, *this, run.error());
    plan->options.calls_wait = source->methods.front()->notifies();
    auto schedule = LiveSchedule::prepare(*std::move(plan));
    if (!schedule) return refuse(terminal, *this, schedule.error());
    const auto failure = follow(**run, **schedule);
    print(**schedule, terminal);
    if (!failure) return refuse(terminal, *this, failure.error());
    return (*schedule)->outcome().warnings.empty() ? kDone : kFellShort;
  }

 private:
  // A process whose affinity may be set may be given the one that it has.
  Result<void> check_account() const {
    LinuxAffinityCalls calls;
    for (const std::uint32_t pid : scope_.pids) {
      const auto now = calls.affinity_of(pid);
      if (!now) return Error{fmt::format("process {} does not exist ('ps -e' lists those that run)", pid)};
      if (calls.set_affinity(pid, *now) != 0)
        return Error{fmt::format(
            "this account may not set the CPU affinity of process {}: run dpm as the process's own account, or with "
            "CAP_SYS_NICE",
            pid)};
    }
    return {};
  }

  Result<void> follow(MeteredRun& run, LiveSchedule& schedule) const {
    SignalDescriptor signals({SIGINT, SIGTERM, SIGHUP});
    const auto source = run.meter({.flags = MeterFlags::all(), .names_to = &schedule});
    std::atomic<bool> stopped{false};
    const auto stop = [&] {
      stopped = true;
      source->stop();
    };
    std::vector<DescriptorWatch::Watched> watched = {{signals.fd(), [&] {
                                                        if (signals.take()) stop();
                                                      }}};
    const UniqueFd limit = timer_after(limit_);
    if (limit)
      watched.push_back({limit.get(), [&] {
                           std::uint64_t times = 0;
                           if (::read(limit.get(), &times, sizeof times) > 0) stop();
                         }});
    schedule.begin([&source] { return source->so_far().losses.lost(); });
    Result<void> done;
    {
      const DescriptorWatch watch(std::move(watched));
      done = source->run(schedule);
    }
    schedule.end();
    if (stopped)
      if (auto left = run.release(); !left && done) done = left.error();
    return done;
  }

  void print(const LiveSchedule& schedule, Terminal& terminal) const {
    if (json_)
      print_json(schedule_json(schedule.plan(), schedule.outcome()), terminal);
    else
      terminal.out << schedule_text(schedule.plan(), schedule.outcome(), terminal.width);
    for (const auto& warning : schedule.outcome().warnings) terminal.err << "warning: " << printable(warning) << '\n';
  }

  MeteringMethod::Scope scope_;
  ScheduleOptions options_;
  std::optional<Duration> limit_;
  SourceOption source_;
  MeteringMethod::Options method_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_schedule() { return std::make_unique<ScheduleCommand>(); }

}  // namespace dpm::cli
