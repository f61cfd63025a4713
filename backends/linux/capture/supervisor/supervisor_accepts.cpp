// Accepted connections: which one an accept got is not told when it is made. It shows afterwards (awaited_paths.hpp).
#include <netinet/in.h>
#include <sys/resource.h>

#include <set>

#include "backends/linux/capture/kernel/open_descriptors.hpp"
#include "backends/linux/capture/supervisor/supervisor.hpp"

namespace dpm {
namespace {

// The name that the kernel writes for accept() at `address`. Empty if none is there, and for UNIX sockets: they rarely
// have one, and then nothing is written over what was there before.
std::string internet_name_at(std::uint32_t tid, std::uint64_t address) {
  sockaddr_in6 name = {};
  const auto into = std::as_writable_bytes(std::span(&name, 1));
  if (address == 0 || read_memory(tid, address, into) < sizeof(sockaddr_in)) return "";
  const bool internet = name.sin6_family == AF_INET || name.sin6_family == AF_INET6;
  return internet ? socket_name(&name, sizeof name) : "";
}

bool has_no_descriptor_left(std::uint32_t pid, std::size_t open) {
  rlimit limit = {};
  return ::prlimit(static_cast<pid_t>(pid), RLIMIT_NOFILE, nullptr, &limit) == 0 && open >= limit.rlim_cur;
}

}  // namespace

Supervisor::Outcome Supervisor::accept(const Notification& notification, TrackedThread& thread) {
  const MeteredCall& shape = *find_metered_call(notification.call);
  Way way;
  way.fd = borrow(thread, static_cast<std::int32_t>(notification.arguments[0]));
  if (!way.fd) return Outcome::let_go;
  way.identity = identify(way.fd.get());
  if (way.identity.kind != DescriptorIdentity::Kind::socket) return Outcome::let_go;
  way.socket = socket_behind(way.fd.get(), way.identity.id);
  if (way.socket == nullptr || !way.socket->description.listening) return Outcome::let_go;
  Asking asking;
  asking.notification = notification;
  asking.identity = way.identity;
  asking.call = circumstances(notification, shape, thread);
  asking.call.may_wait = asking.terms.may_wait = !is_non_blocking(way.fd.get());
  meter_.uses(asking.call, *way.socket);
  return take_first(thread, asking, way);
}

void Supervisor::record_accept(TrackedThread& thread, const Call& call, const Notification& notification,
                               const Socket& listener) {
  const std::uint64_t address = notification.arguments[1];
  if (address != 0) thread.accepted = {address, internet_name_at(notification.tid, address)};
  meter_.accepts(call, listener);
}

// The thread is out of its accept: the kernel has written the other end's name.
void Supervisor::read_accepted(TrackedThread& thread) {
  if (thread.accepted.address == 0) return;
  const auto [address, before] = std::exchange(thread.accepted, {});
  const std::string name = internet_name_at(thread.execution->tid(), address);
  if (!name.empty() && name != before) meter_.accepted_from(*thread.execution, name);
}

// Accepts whose connection has not been used: it stands in the process's descriptor table, or it is gone. The table is
// read at most for a twentieth of the time, however long it is.
void Supervisor::settle_old_accepts(std::int64_t now_ns) {
  constexpr std::int64_t kOldNs = 100'000'000, kPauses = 20;
  std::set<std::uint32_t> searched;
  for (const AwaitedPath& accept : meter_.old_accepts(now_ns - kOldNs)) {
    const std::uint32_t pid = accept.execution->pid();
    const auto found = threads_.find(accept.execution->tid());
    if (found == threads_.end() || searched.contains(pid)) continue;
    TrackedThread& thread = *found->second;
    if (now_ns < thread.process->search_at_ns || may_be_in_call(thread, accept.descriptor)) continue;
    read_accepted(thread);
    searched.insert(pid);
    const std::size_t open = search_connections(thread);
    const std::int64_t took_ns = local_time().ns - clock_offset_ns_ - now_ns;
    thread.process->search_at_ns = now_ns + kPauses * took_ns;
    const bool none_left = has_no_descriptor_left(pid, open);
    for (const AwaitedPath& missing : meter_.old_accepts(now_ns - kOldNs)) {
      const auto by = threads_.find(missing.execution->tid());
      if (missing.execution->pid() != pid || by == threads_.end()) continue;
      if (!may_be_in_call(*by->second, missing.descriptor)) meter_.give_up_accept(missing, none_left);
    }
  }
}

// Shows the meter all that the process holds; how many descriptors these are.
std::size_t Supervisor::search_connections(TrackedThread& thread) {
  const std::uint32_t pid = thread.execution->pid();
  const auto numbers = read_descriptor_numbers(pid);
  for (const int number : numbers) {
    const UniqueFd fd = borrow_descriptor(thread.thread_fd.get(), number);
    if (!fd) continue;
    const DescriptorIdentity identity = identify(fd.get(), thread.was_socket(number));
    if (identity.kind != DescriptorIdentity::Kind::socket) continue;
    if (Socket* socket = socket_behind(fd.get(), identity.id)) meter_.has_connection(pid, *socket);
  }
  return numbers.size();
}

}  // namespace dpm
