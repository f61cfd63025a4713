// Metering from inside the kernel: eBPF programs record what the program does, and no call waits.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/linux/bpf/kernel_source.hpp"
#include "backends/linux/bpf/running_threads.hpp"
#include "backends/linux/custody/keeper/output_reader.hpp"
#include "backends/linux/program/launch.hpp"
#include "model/check.hpp"
#include "model/metering_method.hpp"
#include "os/descriptors.hpp"
#include "os/kernel/process_files.hpp"
#include "os/kernel/scopes.hpp"
#include "os/own_program.hpp"
#include "os/process_handle.hpp"

namespace dpm::sources {
namespace {

class KernelRun : public MeteredRun {
 public:
  enum class Start { when_ready, when_told };

  KernelRun(LaunchedProgram launched, KernelPrograms programs, Start start)
      : launched_(std::move(launched)),
        programs_(std::move(programs)),
        start_(start),
        program_{launched_->program().pid, launched_->program().command, true},
        facts_(facts_of(program_)) {}
  KernelRun(FollowedProgram running, KernelPrograms programs)
      : programs_(std::move(programs)), program_(std::move(running)), facts_(facts_of(program_)) {}

  const MeteredFacts& facts() const override { return facts_; }

  std::unique_ptr<LiveSource> meter(MeterOptions options) override {
    DPM_CHECK(programs_.has_value());
    auto on_ready = [this, also = options.on_ready] {
      if (launched_ && start_ == Start::when_ready) launched_->start();
      if (also) also();
    };
    auto programs = *std::move(programs_);
    programs_.reset();
    return std::make_unique<KernelSource>(std::move(programs), program_, std::move(options), std::move(on_ready));
  }

  void start() override {
    DPM_CHECK(launched_ && start_ == Start::when_told);
    launched_->start();
  }

  Result<void> release() override { return {}; }  // nothing of ours is in the program

 private:
  static MeteredFacts facts_of(const FollowedProgram& program) {
    return {program.pid, program.command, false, "", true};
  }

  std::optional<LaunchedProgram> launched_;
  std::optional<KernelPrograms> programs_;
  const Start start_ = Start::when_ready;
  const FollowedProgram program_;
  const MeteredFacts facts_;
};

Result<KernelPrograms> load(const MeteringMethod::Options& wanted, const dpm_scope& scope = {}) {
  KernelPrograms::Options options;
  options.scope = scope;
  options.hand_overs = wanted.hand_overs;
  if (wanted.ring_bytes != 0) options.ring_bytes = wanted.ring_bytes;
  return KernelPrograms::load(options);
}

// The programs are loaded in the process that supervises: that takes CPU time, which the program would find as its own.
using Launch = std::function<Result<LaunchedProgram>(LaunchOptions)>;
Result<std::unique_ptr<MeteredRun>> launch_followed(const Launch& launch, KernelRun::Start start,
                                                    const MeteringMethod::Options& wanted) {
  std::optional<KernelPrograms> programs;
  LaunchOptions options = {.notifies = false};
  options.prepare = [&]() -> Result<void> {
    auto loaded = load(wanted);
    if (!loaded) return loaded.error();
    programs = *std::move(loaded);
    return {};
  };
  auto launched = launch(std::move(options));
  if (!launched) return launched.error();
  const std::uint32_t pid = launched->program().pid;
  const UniqueFd process = open_process(pid);
  if (!process) return Error::from_errno("watch the program's process");
  if (auto followed = programs->follow(process.get(), {.tid = pid, .pid = pid, .waits_to_begin = 1}); !followed)
    return followed.error();
  return std::unique_ptr<MeteredRun>(std::make_unique<KernelRun>(*std::move(launched), *std::move(programs), start));
}

Result<std::unique_ptr<MeteredRun>> follow_running(std::uint32_t pid, const MeteringMethod::Options& wanted) {
  const std::string name = read_command_name(pid, pid);
  const auto refuse = [&](const std::string& why) { return Error{fmt::format("acquire {} ({}): {}", pid, name, why)}; };
  if (name.empty()) return Error{fmt::format("acquire {}: there is no such process ('ps -e' lists them)", pid)};
  if (is_ending(pid, pid).value_or(false) && read_thread_ids(pid).size() <= 1)
    return refuse("it has ended already; its parent has not yet asked for its exit status");
  if (read_program_path(pid).empty())
    return refuse(
        "it belongs to another account, or is a thread of the kernel; run dpm as its user or as root to meter "
        "another's "
        "program");
  auto programs = load(wanted);
  if (!programs) return programs.error();
  if (auto done = follow_all_threads(pid, *programs); !done) return refuse(done.error().what);
  return std::unique_ptr<MeteredRun>(
      std::make_unique<KernelRun>(FollowedProgram{pid, name, false}, *std::move(programs)));
}

// The processes of a cgroup, or of this machine without those of dpm, that run already. The kernel's programs know the others.
std::vector<std::uint32_t> follow_members(const std::optional<FoundCgroup>& cgroup, KernelPrograms& programs) {
  const auto own_pid = static_cast<std::uint32_t>(::getpid());
  std::vector<std::uint32_t> followed;
  for (const std::uint32_t pid : cgroup ? read_members(*cgroup) : read_all_processes()) {
    if (pid == own_pid || (!cgroup && read_program_path(pid) == own_program())) continue;
    if (follow_all_threads(pid, programs)) followed.push_back(pid);
  }
  return followed;
}

Result<std::unique_ptr<MeteredRun>> follow_several(const std::vector<std::uint32_t>& pids,
                                                   const MeteringMethod::Options& wanted) {
  auto programs = load(wanted);
  if (!programs) return programs.error();
  for (const std::uint32_t pid : pids) {
    if (read_program_path(pid).empty())
      return Error{fmt::format("acquire {}: there is no such process, or it belongs to another account", pid)};
    if (auto done = follow_all_threads(pid, *programs); !done)
      return Error{fmt::format("acquire {}: {}", pid, done.error().what)};
  }
  FollowedProgram followed{pids.front(), fmt::format("processes {}", fmt::join(pids, ", ")), false};
  followed.running.assign(pids.begin() + 1, pids.end());
  return std::unique_ptr<MeteredRun>(std::make_unique<KernelRun>(std::move(followed), *std::move(programs)));
}

Result<std::unique_ptr<MeteredRun>> follow_scope(const MeteringMethod::Scope& scope,
                                                 const MeteringMethod::Options& wanted) {
  std::optional<FoundCgroup> cgroup;
  if (!scope.cgroup.empty()) {
    auto found = find_cgroup(scope.cgroup);
    if (!found) return found.error();
    cgroup = *std::move(found);
  }
  if (!may_look_at_all(look_at_surroundings()))
    return Error{
        "other accounts' processes may be among these, which this account may not look at: run dpm as root, or with "
        "CAP_SYS_PTRACE as well"};
  const auto own_pid = static_cast<std::uint32_t>(::getpid());
  auto programs = load(wanted, {cgroup ? cgroup->number : 0, cgroup ? 0u : 1u, own_pid});
  if (!programs) return programs.error();
  FollowedProgram followed{own_pid, cgroup ? "cgroup " + scope.cgroup : "everything", false};
  followed.running = follow_members(cgroup, *programs);
  followed.has_gone = [cgroup] { return cgroup && !is_there(*cgroup); };
  return std::unique_ptr<MeteredRun>(std::make_unique<KernelRun>(std::move(followed), *std::move(programs)));
}

class KernelMethod : public MeteringMethod {
 public:
  std::string name() const override { return kEbpf; }
  std::string summary() const override {
    return "eBPF programs record its calls, and no call waits: exact, less than 1 us each; needs root";
  }

  std::optional<Obstacle> obstacle() const override {
    auto obstacle = obstacle_in(KernelPrograms::surroundings());
    if (!obstacle) return std::nullopt;
    return Obstacle{std::move(obstacle->reason), std::move(obstacle->advice)};
  }
  std::optional<std::string> trial() const override { return KernelPrograms::refusal_here(); }
  std::string drawback() const override { return drawback_in(KernelPrograms::surroundings()); }
  bool finds_callers() const override { return false; }
  bool finds_hand_overs() const override { return true; }
  bool notifies() const override { return false; }
  bool meters_scopes() const override { return true; }

  Result<std::unique_ptr<MeteredRun>> launch(const std::vector<std::string>& command,
                                             const Options& options) const override {
    const Launch launch = [&](LaunchOptions how) { return dpm::launch(command, how); };
    return launch_followed(launch, KernelRun::Start::when_ready, options);
  }

  Result<std::unique_ptr<MeteredRun>> launch_child(const std::vector<std::string>& command,
                                                   const ChildStreams& streams) const override {
    // Before anything is loaded: what the reader inherits would stay in the kernel with it.
    std::vector<UniqueFd> outputs;
    outputs.push_back(duplicate(streams.output_reader));
    outputs.push_back(duplicate(streams.error_reader));
    if (auto begun = start_output_reader(command.front(), std::move(outputs)); !begun) return begun.error();
    const Launch launch = [&](LaunchOptions how) {
      const BorrowedStandardStreams borrowed({streams.input, streams.output, streams.error});
      how.own_session = true;
      return launch_as_child(command, how);
    };
    return launch_followed(launch, KernelRun::Start::when_told, {});
  }

  Result<std::unique_ptr<MeteredRun>> acquire(std::uint32_t pid, const Options& options) const override {
    return follow_running(pid, options);
  }

  Result<std::unique_ptr<MeteredRun>> acquire_scope(const Scope& scope, const Options& options) const override {
    return scope.pids.empty() ? follow_scope(scope, options) : follow_several(scope.pids, options);
  }
};

}  // namespace

std::unique_ptr<MeteringMethod> make_ebpf() { return std::make_unique<KernelMethod>(); }

}  // namespace dpm::sources
