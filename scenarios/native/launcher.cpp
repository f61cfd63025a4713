#include "scenarios/native/launcher.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "model/link_complaints.hpp"
#include "os/descriptors.hpp"
#include "os/random.hpp"
#include "scenarios/native/native_process.hpp"
#include "scenarios/native/pinning.hpp"

namespace dpm::native {
namespace {

constexpr int kTickMs = 100;                           // between looks at limits, printed lines and standstill
constexpr int kStartTickMs = 1;                        // while processes come to the gate
constexpr std::int64_t kStandstillNs = 1'000'000'000;  // no process has done anything for this long, and all sleep

const std::string kDeadlock = "deadlock";
const std::string kProcessManager = "process manager";  // as simulations call it

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

// For something that only others can do.
bool waits(const ProcessState& state) {
  if (state.has_deadline != 0) return false;
  return state.doing == Doing::awaiting_message || state.doing == Doing::awaiting_reply ||
         state.doing == Doing::awaiting_data || state.doing == Doing::delivering;
}

std::string how_it_failed(int status) {
  return WIFSIGNALED(status) ? fmt::format("was ended by signal '{}'", ::strsignal(WTERMSIG(status)))
                             : fmt::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace

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
  run_.processes = static_cast<std::uint32_t>(scenario_.processes.size() + 1);  // the process manager is the last
  auto* const token = reinterpret_cast<unsigned char*>(&run_.token);
  if (auto drawn = draw_random({token, sizeof run_.token}); !drawn) return drawn.error();

  if (auto done = listen_for_all(); !done) return done;
  final_states_.assign(scenario_.processes.size(), "ended");
  manager_.emplace(scenario_, core_of_machine_, children_);
  launcher_ = ::getpid();
  for (std::uint32_t i = 0; i < children_.size(); ++i) {
    if (scenario_.processes[i].created_later) continue;
    if (auto done = start_process(i); !done) return done;
  }
  return {};
}

Result<void> Launcher::start_process(std::uint32_t process) {
  std::fflush(nullptr);  // or the child could print our unwritten output a second time
  auto done = children_.start(process, scenario_.processes[process].name, [&] { run_process(process, launcher_); });
  listeners_[process].reset();
  return done;
}

Result<void> Launcher::listen_for_all() {
  allow_many_descriptors();  // a socket for each process here, and in each for every process it talks with
  for (const auto& process : scenario_.processes) {
    auto listener = listen_on_loopback(ports_.emplace_back());
    if (!listener) return Error{fmt::format("process '{}': {}", process.name, listener.error().what)};
    listeners_.push_back(*std::move(listener));
  }
  auto listener = listen_on_loopback(ports_.emplace_back());
  if (!listener) return Error{fmt::format("the process manager: {}", listener.error().what)};
  manager_socket_.emplace(*std::move(listener), run_, ports_);
  return {};
}

void Launcher::run_process(std::uint32_t process, pid_t launcher) {
  UniqueFd listener = std::move(listeners_[process]);
  listeners_.clear();  // those of processes that begin after it
  manager_socket_.reset();
  signals_.close_descriptor();
  Surroundings surroundings{launcher, signals_.mask_before(), std::nullopt};
  const auto core = core_of_machine_.find(manager_->state(process).machine);
  if (core != core_of_machine_.end()) surroundings.core = core->second;
  BoardRow row(*board_, process);
  run_as_process(surroundings, {scenario_, process, row, *journal_, run_, ports_, options_.modelled_work},
                 std::move(listener));
}

// ---- watching

void Launcher::watch() {
  while (!is_over()) {
  }
  children_.end_all();  // services, or all
  read_journal();
}

bool Launcher::is_over() {
  if (wait_for_something()) {
    outcome_.signal = signals_.take();
    end(fmt::format("signal '{}'", ::strsignal(outcome_.signal)));
    return true;
  }
  for (const auto& ended : children_.reap_ended()) take_ended(ended);
  serve_as_process_manager();
  read_journal();
  if (!failures_.empty()) {
    outcome_.failure = failures_.begin()->second;
    end("an error");
  } else if (only_services_are_left() && !has_limit()) {
    end("every process ended");
  } else if (started_ns_ == 0) {
    open_gate_when_all_are_there();
  } else if (!is_at_a_limit() && stands_still()) {
    end(only_services_are_left() ? "every process ended" : kDeadlock);
  }
  return !outcome_.ended_by.empty();
}

// True if a signal has come.
bool Launcher::wait_for_something() {
  polled_.assign(1, {signals_.descriptor(), POLLIN, 0});
  manager_socket_->add_to(polled_);
  children_.wait(polled_, started_ns_ == 0 ? kStartTickMs : kTickMs);
  return polled_.front().revents != 0;
}

void Launcher::serve_as_process_manager() {
  try {
    manager_->serve(*manager_socket_, [this](std::uint32_t process) { return start_process(process); });
  } catch (const SystemFailure& failure) {
    failures_.emplace(run_.processes, fmt::format("the process manager could not go on: {}", failure.what()));
  }
}

void Launcher::take_ended(const Children::Ended& ended) {
  manager_->has_ended(ended.process);
  if (WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == 0) return;
  // If the process has written into the journal what happened, read_journal() replaces this.
  failures_.emplace(ended.process,
                    fmt::format("process '{}' on machine '{}' {}", scenario_.processes[ended.process].name,
                                manager_->state(ended.process).machine, how_it_failed(ended.status)));
}

void Launcher::read_journal() {
  for (Entry& entry : journal_->read_new()) {
    if (entry.kind == EntryKind::failed) {
      failures_[entry.process] = with_its_machine_now(entry.process, std::move(entry.text));
      continue;
    }
    outcome_.printed.push_back({scenario_.processes[entry.process].name, std::move(entry.text)});
    if (options_.on_line) options_.on_line(outcome_.printed.back());
  }
}

// A process does not learn that it has migrated.
std::string Launcher::with_its_machine_now(std::uint32_t process, std::string failure) const {
  const std::string before = fmt::format("' on machine '{}'", scenario_.processes[process].machine);
  const std::string now = fmt::format("' on machine '{}'", manager_->state(process).machine);
  if (const auto at = failure.find(before); at != std::string::npos) failure.replace(at, before.size(), now);
  return failure;
}

void Launcher::open_gate_when_all_are_there() {
  for (std::uint32_t i = 0; i < children_.size(); ++i)
    if (!scenario_.processes[i].created_later && board_->state(i).doing != Doing::at_the_gate) return;
  started_ns_ = changed_ns_ = monotonic_ns();
  board_->open_gate();
}

// ---- reasons to end

bool Launcher::only_services_are_left() const { return manager_->not_ended() == 0; }

bool Launcher::has_limit() const { return scenario_.time_limit.ns > 0 || scenario_.message_limit > 0; }

bool Launcher::is_at_a_limit() {
  const Duration limit = scenario_.time_limit;
  if (limit.ns > 0 && monotonic_ns() - started_ns_ >= limit.ns) {
    outcome_.at_limit = true;
    end(fmt::format("the time limit of {:g} s", limit.seconds()));
    return true;
  }
  if (scenario_.message_limit == 0) return false;
  std::uint64_t sent = 0;
  for (std::size_t i = 0; i < board_->processes(); ++i) sent += board_->state(i).messages_sent;
  if (sent <= scenario_.message_limit) return false;
  outcome_.at_limit = true;
  end(fmt::format("the message limit of {} messages", scenario_.message_limit));
  return true;
}

// Each waits for something that only others of the run could do, none has got anything for a while, and all sleep.
bool Launcher::stands_still() {
  std::uint64_t changes = 0;
  bool all_wait = true;
  for (std::uint32_t i = 0; i < children_.size(); ++i) {
    const ProcessState state = board_->state(i);
    changes += state.changes;
    if (children_.is_alive(i) && !manager_->state(i).is_stopped && !waits(state)) all_wait = false;
  }
  const std::int64_t now_ns = monotonic_ns();
  if (!all_wait || changes != changes_seen_) {
    changes_seen_ = changes;
    changed_ns_ = now_ns;
    return false;
  }
  return now_ns - changed_ns_ >= kStandstillNs && children_.all_sleep();
}

void Launcher::end(const std::string& ended_by) {
  outcome_.ended_by = ended_by;
  for (std::uint32_t i = 0; i < children_.size(); ++i) {
    const Managed& state = manager_->state(i);
    final_states_[i] = final_state(i);
    const bool may_be_left = scenario_.processes[i].service && (ended_by != kDeadlock || !waits_at_work(i));
    if (state.is_gone() || state.life == Life::awaited || may_be_left) continue;
    outcome_.blocked.push_back(
        fmt::format("process '{}' on machine '{}' {}", scenario_.processes[i].name, state.machine, final_states_[i]));
  }
}

// In the middle of its work.
bool Launcher::waits_at_work(std::uint32_t process) const {
  const ProcessState state = board_->state(process);
  return state.doing == Doing::awaiting_reply || (state.doing == Doing::awaiting_message && state.rests == 0);
}

std::string Launcher::final_state(std::uint32_t process) const {
  const Managed& state = manager_->state(process);
  switch (state.life) {
    case Life::awaited:
      return "was never created";
    case Life::created:
      return "was created and never started";
    case Life::ended:
      return "ended";
    case Life::destroyed:
      return fmt::format("was destroyed by '{}'", state.destroyed_by);
    case Life::running:
      break;
  }
  return state.is_stopped ? "is stopped" : what_it_does(process);
}

std::string Launcher::what_it_does(std::uint32_t process) const {
  const ProcessState state = board_->state(process);
  const std::uint32_t count = state.awaited_count;
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i)
    if (state.awaited[i] < scenario_.processes.size()) names.push_back(scenario_.processes[state.awaited[i]].name);
  const std::string& own_name = scenario_.processes[process].name;
  const std::string kinds(state.kinds.data(), ::strnlen(state.kinds.data(), state.kinds.size()));
  switch (state.doing) {
    case Doing::starting:
    case Doing::at_the_gate:
      return "was about to start";
    case Doing::running:
      return "runs";
    case Doing::awaiting_reply:
      return complaints::waits_for_reply(names, kinds);
    case Doing::awaiting_data:
      return "waits for data it moves";
    case Doing::sleeping:
      return "sleeps";
    case Doing::delivering:
      return "waits until its last messages are taken";
    case Doing::awaiting_message:
      break;
  }
  if (count > 0 && names.empty()) return complaints::waits_for_message(kinds) + " over a link it created";
  if (count == 0)
    for (const auto& other : scenario_.processes)
      if (std::find(other.links.begin(), other.links.end(), own_name) != other.links.end()) names.push_back(other.name);
  return complaints::waits_for_message(kinds) + complaints::awaited_from(names);
}

// ---- the end

NativeOutcome Launcher::outcome() {
  for (std::uint32_t i = 0; i < children_.size(); ++i) {
    const ProcessDescription& description = scenario_.processes[i];
    const ProcessCounts counts = board_->counts(i);
    NativeProcess& process = outcome_.processes.emplace_back();
    process.name = description.name;
    process.machine = manager_->state(i).machine;
    const auto core = core_of_machine_.find(process.machine);
    if (core != core_of_machine_.end()) process.core = core->second;
    process.in_computation = description.in_computation;
    process.final_state = final_states_[i];
    const std::int64_t end_ns =
        counts.cpu_ns_at_end != 0 ? counts.cpu_ns_at_end : static_cast<std::int64_t>(children_.cpu_ns(i));
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
      const std::string& receiver = to < scenario_.processes.size() ? scenario_.processes[to].name : kProcessManager;
      outcome_.traffic.push_back({description.name, receiver, sent[to].messages, sent[to].bytes});
    }
    const Duration lasted{std::max<std::int64_t>(counts.last_activity_ns - started_ns_, 0)};
    outcome_.elapsed_all = std::max(outcome_.elapsed_all, lasted);
    if (process.in_computation) outcome_.elapsed = std::max(outcome_.elapsed, lasted);
  }
  return std::move(outcome_);
}

}  // namespace dpm::native
