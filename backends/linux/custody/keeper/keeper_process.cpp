#include "backends/linux/custody/keeper/keeper_process.hpp"

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>

#include "backends/linux/custody/keeper/detached_process.hpp"
#include "os/descriptors.hpp"
#include "os/process_handle.hpp"

namespace dpm {
namespace {

constexpr std::size_t kListener = 0, kSocket = 1, kMeter = 2, kOutputs = 3, kOutputsMax = 2,
                      kFirstClient = kOutputs + kOutputsMax;
constexpr std::size_t kKeeperClientsMax = 8;
// How many ids before and after the first one that comes: a later call may have been taken earlier. Trying all of them
// takes 20 to 30 ms, once.
constexpr std::uint64_t kLostBefore = 1 << 16, kLostAfter = 1 << 12;
constexpr timeval kTick = {0, 100'000};

void return_to_the_call(int) {}

std::int64_t now_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

KeeperProcess::KeeperProcess(const MeteredProgram& program, KeeperBegins begins, SocketFolder folder)
    : listener_(duplicate(program.listener.get())),
      slots_(program.slots),
      calls_were_lost_(begins.calls_were_lost),
      outputs_(std::move(begins.outputs)),
      folder_(std::move(folder)),
      polled_(kFirstClient) {
  DPM_CHECK(outputs_.size() <= kOutputsMax);
  outputs_.resize(kOutputsMax);
  description_.pid = program.pid;
  description_.privileges_given_up = program.privileges_given_up;
  description_.exact_paths = program.exact_paths;
  description_.set_command(program.command);
  polled_[kListener].fd = listener_.fd();
  stand_by(begins.meter_pid, std::move(begins.meter));
}

Result<void> KeeperProcess::listen() {
  struct sigaction action = {};
  action.sa_handler = return_to_the_call;  // without SA_RESTART
  ::sigaction(SIGALRM, &action, nullptr);
  socket_name_ = kKeeperSockets + std::to_string(description_.pid) + "-" + std::to_string(::getpid());
  auto socket = folder_.listen(socket_name_, SOCK_SEQPACKET);
  if (!socket) return socket.error();
  socket_ = *std::move(socket);
  polled_[kSocket] = {socket_.get(), POLLIN, 0};
  if (meter_) meter_state_ = open_process_state(description_.meter_pid);
  return {};
}

void KeeperProcess::run() {
  if (!meter_) answer_calls();
  while (true) {
    wait();
    if ((polled_[kListener].revents & POLLHUP) != 0) break;
    if (polled_[kMeter].revents != 0) answer_calls();
    if (meter_) look_at_meter();
    if ((polled_[kListener].revents & POLLIN) != 0) let_one_go();
    throw_away_outputs();
    if (polled_.size() > kFirstClient) serve_clients();
    if (polled_[kSocket].revents != 0) accept_client();
  }
  folder_.remove(socket_name_);
}

// Receiving a notification always waits, and a call that poll() has announced may be gone, because a signal ended it. A
// timer interrupts the wait while calls come, so that requests at the socket are still answered.
void KeeperProcess::wait() {
  const int look_ms = stopped_.may_be_stopped() ? StoppedMeter::kLookCloselyMs : StoppedMeter::kLookMs;
  const int ready = ::poll(polled_.data(), polled_.size(), meter_state_ ? look_ms : -1);
  if (ready < 0) {
    for (auto& item : polled_) item.revents = 0;
    tick(false);
  } else if ((polled_[kListener].revents & POLLIN) != 0) {
    tick(true);
  }
}

// The program writes to these pipes, and must neither wait nor be killed for it.
void KeeperProcess::throw_away_outputs() {
  for (std::size_t i = 0; i < kOutputsMax; ++i) {
    if (polled_[kOutputs + i].revents == 0) continue;
    char part[64 * 1024];
    const ssize_t length = ::read(outputs_[i].get(), part, sizeof part);
    if (length > 0 || (length < 0 && (errno == EAGAIN || errno == EINTR))) continue;
    outputs_[i].reset();
    polled_[kOutputs + i].fd = -1;
  }
}

void KeeperProcess::tick(bool on) {
  if (on == ticking_) return;
  ticking_ = on;
  const itimerval timer = on ? itimerval{kTick, kTick} : itimerval{};
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

void KeeperProcess::stand_by(std::uint32_t meter_pid, UniqueFd meter) {
  description_.meter_pid = meter_pid;
  meter_ = std::move(meter);
  meter_state_.reset();
  stopped_ = {};
  stands_in_ = false;
  polled_[kMeter] = {meter_.get(), POLLIN, 0};  // poll() ignores negative descriptors
  // poll() always reports a hang-up; calls do not wake us.
  polled_[kListener].events = 0;
  for (std::size_t i = 0; i < kOutputsMax; ++i) polled_[kOutputs + i] = {-1, POLLIN, 0};
}

void KeeperProcess::answer_calls() {
  for (Notification& slot : slots_.all()) {
    if (slot.id != 0) listener_.let_go(slot.id);
    slot = {};
  }
  stand_by(0, UniqueFd());
  polled_[kListener].events = POLLIN;
  for (std::size_t i = 0; i < kOutputsMax; ++i) polled_[kOutputs + i].fd = outputs_[i].get();
}

void KeeperProcess::look_at_meter() {
  const std::int64_t now = now_ns();
  if (!meter_state_ || now < look_at_ns_) return;
  const bool stopped_long =
      stopped_.is_suspicious(slots_.stand_in().heartbeat) && stopped_.look(now, is_stopped(meter_state_));
  const int pause_ms = stopped_.may_be_stopped() ? StoppedMeter::kLookCloselyMs : StoppedMeter::kLookMs;
  look_at_ns_ = now + pause_ms * std::int64_t{1'000'000};
  if (stopped_long && !stands_in_) stand_in();
  if (!stopped_.may_be_stopped() && stands_in_) end_stand_in(now);
}

// The slots are not changed: the meter clears them when it is continued. The meter also keeps the outputs: the program's
// output waits in the pipes.
void KeeperProcess::stand_in() {
  stands_in_ = true;
  slots_.stand_in().stopped_since_ns = stopped_.stopped_since_ns();
  ++slots_.stand_in().changes;
  for (const Notification& slot : slots_.all())
    if (slot.id != 0 && listener_.let_go(slot.id)) ++slots_.stand_in().calls;
  polled_[kListener].events = POLLIN;
}

void KeeperProcess::end_stand_in(std::int64_t now_ns) {
  stands_in_ = false;
  polled_[kListener].events = 0;
  slots_.stand_in().stopped_ns += now_ns - slots_.stand_in().stopped_since_ns;
  ++slots_.stand_in().changes;
}

void KeeperProcess::let_one_go() {
  Notification notification;
  if (listener_.receive(notification) != SeccompListener::Received::one) return;
  listener_.let_go(notification.id);
  if (stands_in_) ++slots_.stand_in().calls;
  if (calls_were_lost_) let_lost_calls_go(notification.id);
}

void KeeperProcess::let_lost_calls_go(std::uint64_t near_id) {
  calls_were_lost_ = false;
  // The kernel refuses ids with which no thread waits, and those that were not received yet.
  for (std::uint64_t id = near_id - kLostBefore; id != near_id + kLostAfter; ++id) listener_.let_go(id);
}

void KeeperProcess::accept_client() {
  UniqueFd client(::accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!client || !peer_of(client.get()).may_ask()) return;
  if (clients_.size() == kKeeperClientsMax) {
    clients_.erase(clients_.begin());
    polled_.erase(polled_.begin() + kFirstClient);
  }
  polled_.push_back({client.get(), POLLIN, 0});
  clients_.push_back(std::move(client));
}

void KeeperProcess::serve_clients() {
  for (std::size_t i = clients_.size(); i-- > 0;) {
    if (polled_[kFirstClient + i].revents == 0) continue;
    auto packet = receive_packet(clients_[i].get());
    if (!packet) continue;
    reply(clients_[i].get(), *std::move(packet));
    clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(i));
    polled_.erase(polled_.begin() + static_cast<std::ptrdiff_t>(kFirstClient + i));
  }
}

// A request that is not understood gets no answer; the connection closes.
void KeeperProcess::reply(int connection, Packet packet) {
  const auto request = message_in<KeeperRequest>(packet);
  if (!request) return;
  const auto asking_pid = static_cast<std::uint32_t>(peer_of(connection).pid);
  // The meter may be dead without poll() having reported it yet.
  if (meter_ && has_ended(meter_.get())) answer_calls();

  KeeperReply description = description_;
  switch (request->kind) {
    case KeeperRequest::Kind::describe:
      description.granted = 1;
      break;
    case KeeperRequest::Kind::take_over:
      if (!meter_ && hand_over(connection, asking_pid, std::move(packet))) return;
      break;
    case KeeperRequest::Kind::answer:
      if (!meter_ || description_.meter_pid != asking_pid) break;
      answer_calls();
      description.granted = 1;
      description.meter_pid = 0;
      break;
    default:
      return;
  }
  send_message(connection, description);
}

// False, without a change, if the request is wrong.
bool KeeperProcess::hand_over(int connection, std::uint32_t asking_pid, Packet packet) {
  if (packet.descriptors.size() != 1 || process_of(packet.descriptors.front().get()) != asking_pid) return false;
  KeeperReply grant = description_;
  grant.granted = 1;
  grant.meter_pid = asking_pid;
  const std::array<int, 2> handed_over = {listener_.fd(), slots_.fd()};
  if (!send_message(connection, grant, handed_over)) return false;
  stand_by(asking_pid, std::move(packet.descriptors.front()));
  meter_state_ = open_process_state(asking_pid);
  return true;
}

Result<void> spawn_keeper(const MeteredProgram& program, KeeperBegins begins) {
  auto folder = SocketFolder::own();
  if (!folder) return folder.error();
  std::vector<int> descriptors = {program.slots.fd(), folder->fd()};
  if (begins.meter) descriptors.push_back(begins.meter.get());
  for (const auto& output : begins.outputs) descriptors.push_back(output.get());
  KeeperProcess keeper(program, std::move(begins), *std::move(folder));
  descriptors.push_back(keeper.listener_fd());
  return spawn_detached("dpm-keeper", std::to_string(program.pid), descriptors,
                        {[&keeper] { return keeper.listen(); }, [&keeper] { keeper.run(); }});
}

}  // namespace dpm
