#include "native/launcher.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "model/check.hpp"
#include "native/native_process.hpp"
#include "native/pinning.hpp"
#include "os/descriptors.hpp"
#include "os/random.hpp"

namespace dpm::native {
namespace {

Result<UniqueFd> listen_on_loopback(std::uint16_t& port) {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool listens = socket && ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                       ::listen(socket.get(), SOMAXCONN) == 0 &&
                       ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0;
  if (!listens) return Error::from_errno("listen on 127.0.0.1");
  port = ntohs(address.sin_port);
  return socket;
}

}  // namespace

// ---- signals

SignalsHeld::SignalsHeld() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&held, signal);
  ::sigprocmask(SIG_BLOCK, &held, &before_);
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &usual, &child_before_);
  descriptor_.reset(::signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK));
}

SignalsHeld::~SignalsHeld() {
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  ::sigaction(SIGCHLD, &child_before_, nullptr);
}

int SignalsHeld::take() const {
  signalfd_siginfo info{};
  DPM_CHECK(::read(descriptor_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info));
  return static_cast<int>(info.ssi_signo);
}

// ---- starting

Result<void> Launcher::start() {
  if (options_.pin) {
    auto cores = cores_of_machines(scenario_);
    if (!cores) return cores.error();
    core_of_machine_ = *std::move(cores);
  }
  auto board = Board::create(scenario_.processes.size());
  if (!board) return board.error();
  board_.emplace(*std::move(board));
  auto journal = Journal::create();
  if (!journal) return journal.error();
  journal_.emplace(*std::move(journal));
  run_.processes = static_cast<std::uint32_t>(scenario_.processes.size());
  auto* const token = reinterpret_cast<unsigned char*>(&run_.token);
  if (auto drawn = draw_random({token, sizeof run_.token}); !drawn) return drawn.error();

  if (auto done = listen_for_all(); !done) return done;
  children_.resize(scenario_.processes.size());
  std::fflush(nullptr);  // or children could print our unwritten output a second time
  for (std::uint32_t i = 0; i < children_.size(); ++i) {
    if (auto done = fork_child(i); !done) return done;
    if (!scenario_.processes[i].service) ++not_ended_;
  }
  return {};
}

Result<void> Launcher::listen_for_all() {
  allow_many_descriptors();  // a socket for each process here, and in each for every process it talks with
  for (const auto& process : scenario_.processes) {
    auto listener = listen_on_loopback(ports_.emplace_back());
    if (!listener) return Error{"process '" + process.name + "': " + listener.error().what};
    listeners_.push_back(*std::move(listener));
  }
  return {};
}

Result<void> Launcher::fork_child(std::uint32_t process) {
  Child& child = children_[process];
  const auto core = core_of_machine_.find(scenario_.processes[process].machine);
  Surroundings surroundings{::getpid(), signals_.mask_before(), std::nullopt};
  if (core != core_of_machine_.end()) surroundings.core = core->second;
  // A child is born with its parent's name, and known by it to whoever meets it before its first instruction.
  char own_name[16] = "";
  ::prctl(PR_GET_NAME, own_name);
  ::prctl(PR_SET_NAME, scenario_.processes[process].name.c_str());
  child.pid = ::fork();
  if (child.pid != 0) ::prctl(PR_SET_NAME, own_name);
  if (child.pid < 0) return Error::from_errno("start process '" + scenario_.processes[process].name + "'");
  UniqueFd listener = std::move(listeners_[process]);
  if (child.pid == 0) {
    listeners_.clear();  // those of processes that begin after it, and what is the launcher's
    for (Child& other : children_) other.descriptor.reset();
    signals_.let_go_of_descriptor();
    BoardRow row(*board_, process);
    run_as_process(surroundings, {scenario_, process, row, *journal_, run_, ports_, options_.modelled_work},
                   std::move(listener));
  }
  child.is_alive = true;
  child.descriptor.reset(static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0)));
  if (!child.descriptor) return Error::from_errno("watch process '" + scenario_.processes[process].name + "'");
  return {};
}

// ---- the end

void Launcher::end_all() {
  constexpr std::int64_t kPatienceNs = 1'000'000'000;  // with those who have counts to tell; then they are killed
  for (const Child& child : children_)
    if (child.is_alive) ::kill(child.pid, SIGTERM);
  const std::int64_t deadline_ns = monotonic_ns() + kPatienceNs;
  for (std::uint32_t i = 0; i < children_.size(); ++i) {
    if (!children_[i].is_alive) continue;
    pollfd ended{children_[i].descriptor.get(), POLLIN, 0};
    const std::int64_t left_ms = std::max<std::int64_t>(deadline_ns - monotonic_ns(), 0) / 1'000'000;
    if (::poll(&ended, 1, static_cast<int>(left_ms)) != 1) ::kill(children_[i].pid, SIGKILL);
    reap(i);
  }
}

NativeOutcome Launcher::outcome() {
  for (std::uint32_t i = 0; i < children_.size(); ++i) {
    const ProcessDescription& description = scenario_.processes[i];
    const ProcessCounts counts = board_->counts(i);
    NativeProcess& process = outcome_.processes.emplace_back();
    process.name = description.name;
    process.machine = description.machine;
    const auto core = core_of_machine_.find(description.machine);
    if (core != core_of_machine_.end()) process.core = core->second;
    process.in_computation = description.in_computation;
    process.final_state = children_[i].final_state;
    const std::int64_t end_ns =
        counts.cpu_ns_at_end != 0 ? counts.cpu_ns_at_end : static_cast<std::int64_t>(children_[i].cpu_ns);
    process.cpu_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(end_ns - counts.cpu_ns_at_start, 0));
    process.messages_sent = board_->state(i).messages_sent;
    process.messages_received = counts.messages_received;
    process.data_received = counts.data_received;
    process.messages_dropped = counts.messages_dropped;
    for (std::uint32_t k = 0; k < counts.kinds_used; ++k)
      process.kinds.push_back({counts.kinds[k].code, counts.kinds[k].sent, counts.kinds[k].received});
    const auto sent = board_->sent_by(i);
    for (std::uint32_t to = 0; to < sent.size(); ++to) {
      if (sent[to].messages == 0) continue;
      process.bytes_sent += sent[to].bytes;
      outcome_.traffic.push_back({description.name, scenario_.processes[to].name, sent[to].messages, sent[to].bytes});
    }
    const Duration lasted{std::max<std::int64_t>(counts.last_activity_ns - started_ns_, 0)};
    outcome_.elapsed_all = std::max(outcome_.elapsed_all, lasted);
    if (process.in_computation) outcome_.elapsed = std::max(outcome_.elapsed, lasted);
  }
  return std::move(outcome_);
}

}  // namespace dpm::native
