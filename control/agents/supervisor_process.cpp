#include "control/agents/supervisor_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <utility>

#include "backends/linux/custody/keeper/stopped_meter.hpp"
#include "backends/linux/sources/metering_methods.hpp"
#include "control/agents/program_processes.hpp"
#include "model/check.hpp"
#include "os/find_program.hpp"
#include "os/kernel/cgroups.hpp"
#include "os/kernel/process_files.hpp"
#include "os/machine.hpp"
#include "os/net/asio.hpp"
#include "os/process_handle.hpp"
#include "os/user_paths.hpp"
#include "os/whole_io.hpp"

namespace dpm {
namespace {

using namespace control;

// How long the report of a program's end waits for its last events to be in the log.
constexpr std::chrono::seconds kMeterPatience{2};

std::string reason_of(const siginfo_t& end) {
  if (end.si_code != CLD_EXITED) return fmt::format("signal {} ({})", end.si_status, ::strsignal(end.si_status));
  return end.si_status == 0 ? "normal" : "exit status " + std::to_string(end.si_status);
}

}  // namespace

Result<void> SupervisorProcess::run(UniqueFd daemon, const Options& options, const OpenMeterSink& open_sink) {
  asio::io_context context(1);
  SupervisorProcess supervisor(context, options, open_sink);
  return supervisor.service_.run(std::move(daemon), options.machine);
}

SupervisorProcess::SupervisorProcess(asio::io_context& context, const Options& options, const OpenMeterSink& open_sink)
    : context_(context),
      machine_(options.machine.empty() ? machine_name() : options.machine),
      uses_cgroups_(options.uses_cgroups),
      open_sink_(open_sink),
      sources_(metering_methods()),
      source_(options.source),
      service_(context, {[this](RequestId id, RequestBody request) { on_request(id, std::move(request)); },
                         [this] { return describe(); }, [this] { streams_.pump(); }, [this] { tunnel_.end(); }}),
      tunnel_(context, {[this] { return service_.is_listened_to(); },
                        [this](Relay piece) {
                          piece.pid = managed_.pid;
                          service_.report(std::move(piece));
                        }}),
      streams_(context,
               {[this] { return service_.is_listened_to() && service_.has_room(); },
                [this] { return service_.is_listened_to(); },
                [this](OutputBuffer::Piece piece) {
                  service_.report(Output{managed_.pid, piece.is_error, std::move(piece.bytes), piece.dropped_bytes});
                }}),
      group_(descendants),
      change_timer_(context),
      conclude_timer_(context) {}

void SupervisorProcess::enter(Life next) {
  switch (next) {
    case Life::none:
      DPM_CHECK(false);  // only at the beginning
      break;
    case Life::waits:
      DPM_CHECK(life_ == Life::none);
      break;
    case Life::runs:
      DPM_CHECK(life_ == Life::none || life_ == Life::waits);
      break;
    case Life::ended:
      DPM_CHECK(life_ == Life::waits || life_ == Life::runs);
      break;
  }
  life_ = next;
}

ManagedProcess SupervisorProcess::describe() const {
  ManagedProcess managed = managed_;
  managed.controller = service_.controller();
  return managed;
}

void SupervisorProcess::on_request(RequestId id, RequestBody request) {
  const bool is_beginning = life_ == Life::none;
  auto answer = perform(id, request);
  if (!answer) {
    service_.refuse(id, answer.error().what);
    if (is_beginning) leave();  // there is no process to manage
  } else if (*answer) {
    service_.reply(id, **std::move(answer));
  }
}

Result<SupervisorProcess::Answer> SupervisorProcess::perform(RequestId id, RequestBody& request) {
  const auto now = [](const Result<void>& done) {
    return done ? Result<Answer>(Done{}) : Result<Answer>(done.error());
  };
  const auto later = [](const Result<void>& begun) {
    return begun ? Result<Answer>(Answer()) : Result<Answer>(begun.error());
  };
  const auto made = [](Result<ProcessCreated> created) {
    return created ? Result<Answer>(*std::move(created)) : Result<Answer>(created.error());
  };
  if (life_ == Life::none) {
    if (const auto* wanted = std::get_if<CreateProcess>(&request)) return made(create(*wanted));
    if (const auto* wanted = std::get_if<AcquireProcess>(&request)) return made(acquire(*wanted));
    return Error{"the process has not been created yet"};
  }
  if (const auto* wanted = std::get_if<SetFlags>(&request)) return now(set_flags(wanted->flags));
  if (const auto* input = std::get_if<Input>(&request)) {
    if (life_ == Life::ended || !is_child_) return Error{"its input cannot be sent from here"};
    return now(streams_.add_input(input->bytes, input->end));
  }
  if (std::holds_alternative<StartProcess>(request)) return later(start(id));
  if (std::holds_alternative<StopProcess>(request)) return now(stop());
  if (std::holds_alternative<KillProcess>(request)) return later(kill(id));
  if (auto* piece = std::get_if<Relay>(&request)) {
    tunnel_.take(*piece);
    return Answer(Done{});
  }
  if (std::holds_alternative<Release>(request)) return later(release(id));
  return Error{"a supervisor does not handle this request"};
}

// ---- beginning

Result<ProcessCreated> SupervisorProcess::create(const CreateProcess& request) {
  ProcessCreated created;
  auto launched = launch_with_streams(request, created.warning);
  if (!launched) return launched.error();
  adopt_orphans();
  ::signal(SIGPIPE, SIG_IGN);  // the program has inherited ours

  is_child_ = true;
  managed_.pid = (*launched)->facts().pid;
  managed_.job = request.job;
  managed_.name = request.name;
  managed_.state = ProcessState::fresh;
  if (uses_cgroups_) give_cgroup();
  if (auto metered = meter(*std::move(launched), request.filter, request.flags); !metered) {
    leave_cgroup();
    managed_.pid = 0;
    return metered.error();
  }
  enter(Life::waits);
  created.pid = managed_.pid;
  created.name = managed_.name;
  created.source = managed_.source;
  return created;
}

Result<std::unique_ptr<MeteredRun>> SupervisorProcess::launch_with_streams(const CreateProcess& request,
                                                                           std::string& warning) {
  const std::string folder = request.directory.empty() ? home_folder() : expand_path(request.directory);
  if (::chdir(folder.c_str()) != 0 && ::chdir(home_folder().c_str()) != 0)
    return Error::from_errno("go to the folder " + home_folder());
  std::string file = request.file;
  if (file.starts_with("~/")) file = expand_path(file);
  const FoundProgram found = find_program(file);
  if (!found) return Error{found.problem};
  auto ends = streams_.open(request.input.starts_with("~/") ? expand_path(request.input) : request.input);
  if (!ends) return ends.error();

  std::vector<std::string> command = {file};
  command.insert(command.end(), request.arguments.begin(), request.arguments.end());
  auto source = choose_source(request.source, 0);
  if (!source) return source.error();
  const MeteringMethod::ChildStreams streams = {.input = ends->input.get(),
                                                .output = ends->output.get(),
                                                .error = ends->error.get(),
                                                .output_reader = streams_.output_fd(),
                                                .error_reader = streams_.error_fd()};
  auto launched = SourceChooser::begin(
      *source, [&](const MeteringMethod& method) { return method.launch_child(command, streams); });
  managed_.source = source->reason;
  if (::chdir("/") != 0)
    return Error::from_errno("leave the program's folder");  // so that its file system can be unmounted
  if (launched && found.gains_privileges && (*launched)->facts().privileges_given_up)
    warning =
        fmt::format("'{}' runs without the privileges that it would gain when it starts (no_new_privs)", request.file);
  return launched;
}

Result<SourceChooser::Choice> SupervisorProcess::choose_source(const std::string& wanted,
                                                               std::uint32_t running_pid) const {
  return sources_.choose(wanted.empty() ? source_ : wanted, {.running_pid = running_pid});
}

Result<ProcessCreated> SupervisorProcess::acquire(const AcquireProcess& request) {
  if (::chdir("/") != 0) return Error::from_errno("go to the folder /");
  ::signal(SIGPIPE, SIG_IGN);
  auto source = choose_source(request.source, request.pid);
  if (!source) return source.error();
  auto run =
      SourceChooser::begin(*source, [&](const MeteringMethod& method) { return method.acquire(request.pid, {}); });
  if (!run) return run.error();
  managed_.source = source->reason;
  const MeteredFacts facts = (*run)->facts();
  ProcessCreated created;
  created.pid = facts.pid;
  created.name = read_command_name(facts.pid, facts.pid);
  created.source = managed_.source;
  if (facts.privileges_given_up) created.warning = "it can no longer gain privileges (no_new_privs)";
  managed_.pid = facts.pid;
  managed_.job = request.job;
  managed_.name = created.name;
  managed_.state = ProcessState::acquired;
  if (auto cgroup = ProgramCgroup::of(facts.pid)) group_.set_cgroup(*std::move(cgroup));  // of a killed supervisor
  if (auto metered = meter(*std::move(run), request.filter, request.flags); !metered) {
    managed_.pid = 0;
    return metered.error();
  }
  enter(Life::runs);
  return created;
}

// The program waits before its first instruction. Without a cgroup it is controlled by signals.
void SupervisorProcess::give_cgroup() {
  const auto parent = find_delegated_cgroup();
  if (!parent) return;
  auto cgroup = ProgramCgroup::make(*parent, managed_.pid);
  if (!cgroup) return;
  UniqueFd events(::open((cgroup->folder() + "/cgroup.events").c_str(), O_RDONLY | O_CLOEXEC));
  group_.set_cgroup(*std::move(cgroup));
  if (!events) return;
  cgroup_events_.emplace(context_, std::move(events));
  watch_cgroup();
}

MeterWay SupervisorProcess::way_to(const FilterAddress& filter) {
  MeterWay way;
  way.on_delivery = [this](const Delivery& delivery) { later(context_, [this, delivery] { set_delivery(delivery); }); };
  if (filter.through_controller) way.dial = [this, id = filter.id] { return tunnel_.dial(id); };
  return way;
}

Result<void> SupervisorProcess::meter(std::unique_ptr<MeteredRun> run, const FilterAddress& filter, MeterFlags flags) {
  managed_.flags = flags;
  managed_.filter = filter;
  UniqueFd program_end = open_process(managed_.pid);
  if (!program_end) return Error::from_errno("watch process " + std::to_string(managed_.pid));
  program_stat_ = open_process_state(managed_.pid);
  auto sink = open_sink_(context_, filter, {machine_, managed_.job, managed_.name, managed_.pid}, way_to(filter));
  if (!sink) return sink.error();
  program_.emplace(context_, std::move(program_end));
  program_->when_readable([this] { on_program_end(); });
  MeterThread::Handlers handlers;
  handlers.on_ready = [this] {
    if (!starters_.empty()) open_gate();
  };
  handlers.on_let_go = [this] {
    if (!releasers_.empty()) finish_release();
  };
  handlers.on_end = [this] {
    if (conclude_timer_.is_running()) conclude();
    if (is_released_) leave();
  };
  MeterOptions options;
  options.flags = flags;
  options.machine = machine_;
  fmt::print(stderr, "dpm meterd [{}]: {} (process {}): source {}\n", ::getpid(), managed_.name, managed_.pid,
             managed_.source);
  meter_ = std::make_unique<MeterThread>(context_, std::move(run), options, *std::move(sink), std::move(handlers));
  return {};
}

// ---- what it is told

Result<void> SupervisorProcess::set_flags(MeterFlags flags) {
  if (life_ == Life::ended) return Error{"it has ended"};
  managed_.flags = flags;
  meter_->set_flags(flags);
  return {};
}

Result<void> SupervisorProcess::start(RequestId id) {
  if (managed_.state != ProcessState::fresh && managed_.state != ProcessState::stopped)
    return Error{fmt::format("a process that is {} cannot be started", state_name(managed_.state))};
  if (life_ != Life::ended) managed_.reason.clear();
  set_state(ProcessState::running);
  if (life_ == Life::waits) {
    starters_.push_back(id);
    if (meter_->is_ready()) open_gate();
  } else {
    change_timer_.cancel();
    may_not_have_stopped_ = false;
    group_.go_on(is_stopped(program_stat_));
    service_.reply(id, Done{});
  }
  return {};
}

void SupervisorProcess::open_gate() {
  for (const auto& id : std::exchange(starters_, {})) service_.reply(id, Done{});
  // It may have been stopped again in between.
  if (life_ != Life::waits || managed_.state != ProcessState::running) return;
  enter(Life::runs);
  meter_->start_program();
  keep_reaping();
}

void SupervisorProcess::keep_reaping() {
  const auto reap = [this] {
    note_changes();
    reap_orphans(life_ == Life::ended ? 0 : managed_.pid);
  };
  children_.emplace(context_, SIGCHLD, reap);
  reap();  // children that ended before
}

Result<void> SupervisorProcess::stop() {
  if (managed_.state != ProcessState::fresh && managed_.state != ProcessState::running)
    return Error{fmt::format("a process that is {} cannot be stopped", state_name(managed_.state))};
  if (life_ != Life::waits) {
    change_timer_.cancel();
    may_not_have_stopped_ = true;
    group_.stop();
  }
  if (life_ != Life::ended) managed_.reason.clear();
  set_state(ProcessState::stopped);
  return {};
}

Result<void> SupervisorProcess::kill(RequestId id) {
  if (!is_child_) return Error{"an acquired process cannot be killed, only metered"};
  if (managed_.state == ProcessState::killed) return Error{"it has ended already"};
  killers_.push_back(id);
  group_.kill();
  return {};
}

Result<void> SupervisorProcess::release(RequestId id) {
  if (managed_.state != ProcessState::killed && managed_.state != ProcessState::acquired)
    return Error{fmt::format("a process that is {} has to be killed first", state_name(managed_.state))};
  releasers_.push_back(id);
  if (meter_->has_let_go()) {
    finish_release();
  } else {
    meter_->let_go();
  }
  return {};
}

// "processes that it left behind continue unmetered: 120 (sleep), 121 (sh)"; empty if there are none.
std::string SupervisorProcess::left_behind_text() const {
  constexpr std::size_t kShownMost = 5;
  reap_orphans(0);
  const auto left = descendants();
  std::string text;
  for (std::size_t i = 0; i < left.size() && i < kShownMost; ++i)
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", left[i], read_command_name(left[i], left[i]));
  if (left.empty()) return "";
  return fmt::format("processes that it left behind continue unmetered: {}{}", text,
                     left.size() > kShownMost ? fmt::format(" and {} others", left.size() - kShownMost) : "");
}

// What the program left behind goes on outside of its cgroup. The agent stays until the meter has delivered its events, or has
// given up. A later daemon does not need it.
void SupervisorProcess::finish_release() {
  const std::string note = is_child_ ? left_behind_text() : "";
  leave_cgroup();
  for (const auto& id : std::exchange(releasers_, {})) service_.reply(id, Done{note});
  is_released_ = true;
  if (meter_->has_ended()) return leave();
  service_.hide();
}

// ---- what happens to it

// Others may stop and continue the program too, and it can stop itself. What we see may also come from our own signals,
// the last of which may still be on its way: only what lasts is a change.
void SupervisorProcess::note_changes() {
  constexpr std::chrono::milliseconds kLasting{50};
  siginfo_t change = {};
  while (life_ != Life::ended && ::waitid(P_PID, managed_.pid, &change, WSTOPPED | WCONTINUED | WNOHANG) == 0 &&
         change.si_pid != 0) {
    const int signal = change.si_code == CLD_STOPPED ? change.si_status : 0;
    if (signal != 0) may_not_have_stopped_ = false;
    change_timer_.start(kLasting, [this, signal] { confirm_change(signal); });
    change = {};
  }
}

// `signal`: that stopped it, or 0 if it was continued.
void SupervisorProcess::confirm_change(int signal) {
  // On a busy machine the program runs on for a while after our SIGSTOP.
  constexpr std::chrono::seconds kStopTakes{1};
  if (signal == 0 && std::exchange(may_not_have_stopped_, false))
    return change_timer_.start(kStopTakes, [this] { confirm_change(0); });
  const auto before = signal != 0 ? ProcessState::running : ProcessState::stopped;
  if (managed_.state != before || is_still() != (signal != 0)) return;
  managed_.reason = signal != 0 ? fmt::format("signal {} ({})", signal, ::strsignal(signal)) : "";
  set_state(signal != 0 ? ProcessState::stopped : ProcessState::running);
}

bool SupervisorProcess::is_still() const { return is_stopped(program_stat_) || group_.is_frozen(); }

void SupervisorProcess::watch_cgroup() {
  ::lseek(cgroup_events_->fd(), 0, SEEK_SET);
  if (read_to_end(cgroup_events_->fd()).empty()) return;  // the cgroup was removed, which would be reported endlessly
  cgroup_events_->when_changed([this] {
    watch_cgroup();
    look_at_cgroup();
  });
}

void SupervisorProcess::leave_cgroup() {
  cgroup_events_.reset();
  group_.dissolve();
}

// Others may freeze and thaw the cgroup, too. What it was told last counts: our own orders agree with the state.
void SupervisorProcess::look_at_cgroup() {
  if (life_ == Life::ended) {
    group_.cgroup()->remove();
    return;
  }
  const bool frozen = group_.is_frozen();
  if (managed_.state == ProcessState::running && frozen) {
    managed_.reason = "its cgroup was frozen";
    set_state(ProcessState::stopped);
  } else if (managed_.state == ProcessState::stopped && life_ == Life::runs && !is_still()) {
    managed_.reason.clear();
    set_state(ProcessState::running);
  }
}

void SupervisorProcess::on_program_end() {
  enter(Life::ended);
  if (group_.cgroup()) group_.cgroup()->remove();
  siginfo_t end = {};
  const bool is_ours = is_child_ && ::waitid(P_PID, managed_.pid, &end, WEXITED) == 0;
  managed_.reason = is_ours ? reason_of(end) : "ended";  // only a parent learns how its child ended
  reap_orphans(0);
  const bool others_go_on = !is_child_ || !descendants().empty();
  if (others_go_on || meter_->has_ended()) return conclude();
  conclude_timer_.start(kMeterPatience, [this] {
    set_delivery(meter_->delivery());
    conclude();
  });
}

void SupervisorProcess::conclude() {
  conclude_timer_.cancel();
  streams_.drain([this] { tell_end(); });
}

void SupervisorProcess::tell_end() {
  set_state(ProcessState::killed);
  for (const auto& id : std::exchange(starters_, {})) service_.refuse(id, "it has ended");
  for (const auto& id : std::exchange(killers_, {})) service_.reply(id, Done{});
}

void SupervisorProcess::set_state(ProcessState state) {
  managed_.state = state;
  service_.report(StateChanged{managed_.pid, managed_.state, managed_.reason});
}

void SupervisorProcess::set_delivery(const Delivery& delivery) {
  if (managed_.delivery == delivery) return;
  managed_.delivery = delivery;
  service_.report(DeliveryChanged{managed_.pid, managed_.job, managed_.name, managed_.filter.filter, delivery});
}

void SupervisorProcess::leave() {
  service_.retire([this] { context_.stop(); });
}

}  // namespace dpm
