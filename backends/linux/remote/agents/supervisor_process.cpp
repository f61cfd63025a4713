#include "backends/linux/remote/agents/supervisor_process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <utility>

#include "backends/linux/capture/kernel/process_files.hpp"
#include "backends/linux/custody/acquire/take_program.hpp"
#include "backends/linux/custody/keeper/keeper.hpp"
#include "backends/linux/remote/agents/program_processes.hpp"
#include "backends/linux/transport/net/asio.hpp"
#include "os/find_program.hpp"
#include "os/machine.hpp"
#include "os/process_handle.hpp"
#include "os/user_paths.hpp"

namespace dpm {
namespace {

using namespace control;

// What the program did last is in its log before it is said to have ended, unless its filter is slow.
constexpr std::chrono::seconds kMeterPatience{2};

UniqueFd duplicate(int fd) { return UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)); }

// For the time of a launch, our standard descriptors are the program's.
class BorrowedStandardStreams {
 public:
  explicit BorrowedStandardStreams(const ProgramStreams::ProgramEnds& ends) {
    const std::array<int, 3> theirs = {ends.input.get(), ends.output.get(), ends.error.get()};
    for (int fd = 0; fd < 3; ++fd) {
      ours_[static_cast<std::size_t>(fd)] = duplicate(fd);
      ::dup2(theirs[static_cast<std::size_t>(fd)], fd);
    }
  }
  BorrowedStandardStreams(const BorrowedStandardStreams&) = delete;
  BorrowedStandardStreams& operator=(const BorrowedStandardStreams&) = delete;
  ~BorrowedStandardStreams() {
    for (int fd = 0; fd < 3; ++fd) ::dup2(ours_[static_cast<std::size_t>(fd)].get(), fd);
  }

 private:
  std::array<UniqueFd, 3> ours_;
};

std::string reason_of(const siginfo_t& end) {
  if (end.si_code != CLD_EXITED)
    return "signal " + std::to_string(end.si_status) + " (" + ::strsignal(end.si_status) + ")";
  return end.si_status == 0 ? "normal" : "exit status " + std::to_string(end.si_status);
}

}  // namespace

Result<void> SupervisorProcess::run(UniqueFd daemon, const std::string& machine, const OpenMeterSink& open_sink) {
  // Never destroyed: after run() everything is sent, and the meter thread may still run. Static, so that the leak
  // checker does not report it.
  static auto* const context = new asio::io_context(1);
  static auto* const supervisor = new SupervisorProcess(*context, machine, open_sink);
  if (auto begun = supervisor->service_.begin(std::move(daemon), machine); !begun) return begun;
  const auto until_stopped = asio::make_work_guard(*context);
  context->run();
  return {};
}

SupervisorProcess::SupervisorProcess(asio::io_context& context, std::string machine, const OpenMeterSink& open_sink)
    : context_(context),
      machine_(machine.empty() ? machine_name() : std::move(machine)),
      open_sink_(open_sink),
      service_(context, {[this](Asker asker, RequestBody request) { on_request(asker, std::move(request)); },
                         [this] { return describe(); }, [this] { streams_.pump(); }}),
      streams_(context,
               {[this] { return service_.is_listened_to() && service_.has_room(); },
                [this] { return service_.is_listened_to(); },
                [this](OutputBuffer::Piece piece) {
                  service_.report(Output{charge_.pid, piece.is_error, std::move(piece.bytes), piece.dropped_bytes});
                }}),
      conclude_timer_(context) {}

Charge SupervisorProcess::describe() const {
  Charge charge = charge_;
  charge.controller = service_.controller();
  return charge;
}

void SupervisorProcess::on_request(Asker asker, RequestBody request) {
  const bool is_beginning = charge_.pid == 0;
  auto answer = perform(asker, request);
  if (!answer) {
    service_.refuse(asker, answer.error().what);
    if (is_beginning) leave();  // there is nothing to look after
  } else if (*answer) {
    service_.reply(asker, **std::move(answer));
  }
}

Result<SupervisorProcess::Answer> SupervisorProcess::perform(Asker asker, RequestBody& request) {
  const auto now = [](Result<void> done) { return done ? Result<Answer>(Done{}) : Result<Answer>(done.error()); };
  const auto later = [](Result<void> begun) {
    return begun ? Result<Answer>(Answer()) : Result<Answer>(begun.error());
  };
  const auto made = [](Result<ProcessCreated> created) {
    return created ? Result<Answer>(*std::move(created)) : Result<Answer>(created.error());
  };
  if (charge_.pid == 0) {
    if (const auto* wanted = std::get_if<CreateProcess>(&request)) return made(create(*wanted));
    if (const auto* wanted = std::get_if<AcquireProcess>(&request)) return made(acquire(*wanted));
    return Error{"the process was not created yet"};
  }
  if (const auto* wanted = std::get_if<SetFlags>(&request)) return now(set_flags(wanted->flags));
  if (const auto* input = std::get_if<Input>(&request)) {
    if (has_ended_ || !is_child_) return Error{"it takes no input from here"};
    return now(streams_.add_input(input->bytes, input->end));
  }
  if (std::holds_alternative<StartProcess>(request)) return later(start(asker));
  if (std::holds_alternative<StopProcess>(request)) return now(stop());
  if (std::holds_alternative<KillProcess>(request)) return later(kill(asker));
  if (std::holds_alternative<Release>(request)) return later(release(asker));
  return Error{"a supervisor does not do that"};
}

// ---- beginning

Result<ProcessCreated> SupervisorProcess::create(const CreateProcess& request) {
  ProcessCreated created;
  auto launched = launch_with_streams(request, created.warning);
  if (!launched) return launched.error();
  const MeteredProgram& program = launched->program();
  // Its output: if we are killed the keeper reads it, so that the program is not killed for writing.
  std::vector<UniqueFd> outputs;
  outputs.push_back(duplicate(streams_.output_fd()));
  outputs.push_back(duplicate(streams_.error_fd()));
  if (auto kept = start_keeper(program, std::move(outputs)); !kept) return kept.error();
  adopt_orphans();
  ::signal(SIGPIPE, SIG_IGN);  // after the program has inherited what it should

  is_child_ = true;
  charge_.pid = program.pid;
  charge_.job = request.job;
  charge_.name = request.name;
  charge_.state = ProcessState::fresh;
  launched_.emplace(*std::move(launched));
  if (auto metered = meter(std::move(launched_->program()), request.filter, request.flags); !metered) {
    charge_.pid = 0;
    launched_.reset();  // ends it
    return metered.error();
  }
  created.pid = charge_.pid;
  created.name = charge_.name;
  return created;
}

Result<LaunchedProgram> SupervisorProcess::launch_with_streams(const CreateProcess& request, std::string& warning) {
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
  auto launched = [&] {
    const BorrowedStandardStreams borrowed(*ends);
    return launch_as_child(command, {.own_session = true});
  }();
  if (::chdir("/") != 0) return Error::from_errno("leave the program's folder");  // else its file system stays busy
  if (launched && found.gains_privileges && launched->program().privileges_given_up)
    warning = "'" + request.file + "' runs without the privileges that it would gain when it starts (no_new_privs)";
  return launched;
}

Result<ProcessCreated> SupervisorProcess::acquire(const AcquireProcess& request) {
  if (::chdir("/") != 0) return Error::from_errno("go to the folder /");
  ::signal(SIGPIPE, SIG_IGN);
  auto program = take_program(request.pid, {});
  if (!program) return program.error();
  ProcessCreated created;
  created.pid = program->pid;
  created.name = read_command_name(program->pid, program->pid);
  if (program->privileges_given_up) created.warning = "from now on it can gain no privileges (no_new_privs)";
  charge_.pid = program->pid;
  charge_.job = request.job;
  charge_.name = created.name;
  charge_.state = ProcessState::acquired;
  if (auto metered = meter(*std::move(program), request.filter, request.flags); !metered) {
    charge_.pid = 0;
    return metered.error();
  }
  return created;
}

Result<void> SupervisorProcess::meter(MeteredProgram program, const FilterAddress& filter, MeterFlags flags) {
  charge_.flags = flags;
  charge_.filter = filter;
  UniqueFd program_end = open_process(charge_.pid);
  if (!program_end) return Error::from_errno("watch process " + std::to_string(charge_.pid));
  auto sink = open_sink_(context_, filter, {machine_, charge_.job, charge_.name, charge_.pid});
  if (!sink) return sink.error();
  program_.emplace(context_, std::move(program_end));
  program_->when_readable([this] { on_program_end(); });
  MeterThread::Handlers handlers;
  handlers.on_ready = [this] {
    is_metered_ = true;
    if (!starters_.empty()) open_gate();
  };
  handlers.on_let_go = [this] {
    is_let_go_ = true;
    if (!releasers_.empty()) finish_release();
  };
  handlers.on_end = [this] {
    if (conclude_timer_.is_running()) conclude();
    if (is_retired_) context_.stop();
  };
  MeterOptions options;
  options.flags = flags;
  options.machine = machine_;
  meter_ = std::make_unique<MeterThread>(context_, std::move(program), options, *std::move(sink), std::move(handlers));
  return {};
}

// ---- what it is told

Result<void> SupervisorProcess::set_flags(MeterFlags flags) {
  if (has_ended_) return Error{"it has ended"};
  charge_.flags = flags;
  meter_->set_flags(flags);
  return {};
}

Result<void> SupervisorProcess::start(Asker asker) {
  if (charge_.state != ProcessState::fresh && charge_.state != ProcessState::stopped)
    return Error{"a process that is " + state_name(charge_.state) + " cannot be started"};
  set_state(ProcessState::running);
  if (has_begun_) {
    signal_descendants(SIGCONT);
    service_.reply(asker, Done{});
  } else {
    starters_.push_back(asker);
    if (is_metered_) open_gate();
  }
  return {};
}

void SupervisorProcess::open_gate() {
  for (const auto& asker : std::exchange(starters_, {})) service_.reply(asker, Done{});
  // It may have been stopped again meanwhile.
  if (has_begun_ || charge_.state != ProcessState::running) return;
  has_begun_ = true;
  launched_->start();
  launched_.reset();
  keep_reaping();
}

void SupervisorProcess::keep_reaping() {
  const auto reap = [this] { reap_orphans(has_ended_ ? 0 : charge_.pid); };
  children_.emplace(context_, SIGCHLD, reap);
  reap();  // those that ended before
}

Result<void> SupervisorProcess::stop() {
  if (charge_.state != ProcessState::fresh && charge_.state != ProcessState::running)
    return Error{"a process that is " + state_name(charge_.state) + " cannot be stopped"};
  if (has_begun_) signal_descendants(SIGSTOP);
  set_state(ProcessState::stopped);
  return {};
}

Result<void> SupervisorProcess::kill(Asker asker) {
  if (!is_child_) return Error{"an acquired process cannot be killed, only metered"};
  if (charge_.state == ProcessState::killed) return Error{"it has ended already"};
  killers_.push_back(asker);
  signal_descendants(SIGKILL);
  return {};
}

Result<void> SupervisorProcess::release(Asker asker) {
  if (charge_.state != ProcessState::killed && charge_.state != ProcessState::acquired)
    return Error{"a process that is " + state_name(charge_.state) + " has to be killed first"};
  releasers_.push_back(asker);
  if (is_let_go_) {
    finish_release();
  } else {
    meter_->let_go();
  }
  return {};
}

// Nobody asks for it any more; what its meter has still to deliver may take some time yet.
void SupervisorProcess::finish_release() {
  for (const auto& asker : std::exchange(releasers_, {})) service_.reply(asker, Done{});
  service_.retire([this] {
    is_retired_ = true;
    if (meter_->has_ended()) context_.stop();
  });
}

// ---- what happens to it

void SupervisorProcess::on_program_end() {
  has_ended_ = true;
  siginfo_t end = {};
  const bool is_ours = is_child_ && ::waitid(P_PID, charge_.pid, &end, WEXITED) == 0;
  charge_.reason = is_ours ? reason_of(end) : "ended";  // what it ended with is known to its parent alone
  reap_orphans(0);
  const bool others_go_on = !is_child_ || !descendants().empty();
  if (others_go_on || meter_->has_ended()) return conclude();
  conclude_timer_.start(kMeterPatience, [this] { conclude(); });
}

void SupervisorProcess::conclude() {
  conclude_timer_.cancel();
  streams_.drain([this] { tell_end(); });
}

void SupervisorProcess::tell_end() {
  set_state(ProcessState::killed);
  for (const auto& asker : std::exchange(starters_, {})) service_.refuse(asker, "it has ended");
  for (const auto& asker : std::exchange(killers_, {})) service_.reply(asker, Done{});
}

void SupervisorProcess::set_state(ProcessState state) {
  charge_.state = state;
  service_.report(StateChanged{charge_.pid, charge_.state, charge_.reason});
}

void SupervisorProcess::leave() {
  service_.retire([this] { context_.stop(); });
}

}  // namespace dpm
