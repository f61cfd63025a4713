#include "backends/linux/custody/acquire/injector.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <array>
#include <string>

#include "backends/linux/custody/acquire/injection.hpp"
#include "backends/linux/custody/keeper/detached_process.hpp"
#include "backends/linux/custody/keeper/keeper_process.hpp"
#include "backends/linux/custody/keeper/keeper_protocol.hpp"
#include "os/descriptors.hpp"
#include "os/kernel/seccomp_listener.hpp"

namespace dpm {
namespace {

// The first byte of its messages; the reasons follow after `refused`.
constexpr char kInstalled = 'i', kInstalledWithoutPrivileges = 'p', kRefused = 'r';

bool say(int connection, char kind, const std::string& text, std::span<const int> descriptors = {}) {
  const std::string packet = kind + text;
  return send_packet(connection, std::as_bytes(std::span(packet)), descriptors);
}

bool is_wanted(int connection) {
  pollfd item{connection, 0, 0};
  return ::poll(&item, 1, 0) == 0;
}

struct Work {
  const AcquireTarget& target;
  const std::vector<SeccompInstruction>& filter;
  const AcquireOptions& options;
  UniqueFd connection;

  void perform();
  Result<UniqueFd> install(Injection& injection) const;
  void stand_by(UniqueFd listener, bool privileges_given_up);
  void answer(UniqueFd listener, bool privileges_given_up) const;
};

Result<UniqueFd> Work::install(Injection& injection) const {
  if (auto stopped = injection.stop(options.patience); !stopped) return stopped.error();
  if (!is_wanted(connection.get())) return Error{"the dpm that asked has ended"};
  if (auto diverted = injection.divert(); !diverted) return diverted.error();
  auto listener = injection.install(options.allow_no_new_privileges);
  if (!listener) return listener;
  if (auto kept = injection.keep(); !kept) return kept.error();
  return listener;
}

void Work::perform() {
  // A stopped thread must not wait for other processes' time slices. Ordinary accounts may not do this.
  sched_param first = {1}, as_others = {0};
  ::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first);
  Injection injection(target, filter);
  auto listener = install(injection);
  injection.restore();
  ::sched_setscheduler(0, SCHED_OTHER, &as_others);
  if (!listener) {
    say(connection.get(), kRefused, listener.error().what);
    return;
  }
  const std::array descriptors = {listener->get()};
  const bool given_up = injection.privileges_given_up();
  say(connection.get(), given_up ? kInstalledWithoutPrivileges : kInstalled, "", descriptors);
  stand_by(*std::move(listener), given_up);
}

void Work::stand_by(UniqueFd listener, bool privileges_given_up) {
  // A packet: there is a keeper. End of the connection: dpm has ended before.
  const auto packet = receive_packet(connection.get());
  if (!packet || packet->bytes.empty()) answer(std::move(listener), privileges_given_up);
}

void Work::answer(UniqueFd listener, bool privileges_given_up) const {
  auto slots = NotificationSlots::create();
  if (slots) {
    const MeteredProgram program{.pid = target.pid,
                                 .command = target.name,
                                 .exact_paths = options.exact_paths,
                                 .privileges_given_up = privileges_given_up,
                                 .listener = duplicate(listener.get()),
                                 .slots = *std::move(slots)};
    if (spawn_keeper(program, {})) return;
  }
  SeccompListener calls(std::move(listener));
  Notification call;
  while (calls.receive(call) != SeccompListener::Received::ended) {
    calls.let_go(call.id);
    call = {};
  }
}

}  // namespace

Result<Injector> Injector::start(const AcquireTarget& target, const std::vector<SeccompInstruction>& filter,
                                 const AcquireOptions& options) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return Error::from_errno("make a connection to the process that acquires");
  Injector injector{UniqueFd(ends[0])};
  Work work{target, filter, options, UniqueFd(ends[1])};
  const std::array descriptors = {ends[1]};
  auto spawned = spawn_detached("dpm-acquire", std::to_string(target.pid), descriptors,
                                {[] { return Result<void>(); }, [&work] { work.perform(); }});
  if (!spawned) return spawned.error();
  return injector;
}

std::optional<Result<Injector::Outcome>> Injector::await() {
  auto packet = receive_packet(connection_.get());
  if (!packet || packet->bytes.empty()) return std::nullopt;
  const char kind = static_cast<char>(packet->bytes.front());
  if (kind == kRefused) {
    const auto* text = reinterpret_cast<const char*>(packet->bytes.data());
    return Error{std::string(text + 1, packet->bytes.size() - 1)};
  }
  if (packet->descriptors.size() != 1)
    return Error{"acquire: no descriptor is left for the listener: raise the limit of dpm (ulimit -n)"};
  return Outcome{std::move(packet->descriptors.front()), kind == kInstalledWithoutPrivileges};
}

void Injector::release() { say(connection_.get(), kInstalled, ""); }

}  // namespace dpm
