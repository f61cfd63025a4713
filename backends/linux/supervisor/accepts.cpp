#include "backends/linux/supervisor/accepts.hpp"

#include <netinet/in.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

namespace dpm {

// The name that the kernel wrote for accept() at `address`. Empty if there is none, and for UNIX sockets: they rarely
// have a name, and without one the kernel leaves the memory as it was.
std::string Accepts::internet_name_at(std::uint32_t tid, std::uint64_t address) {
  sockaddr_in6 name = {};
  const auto into = std::as_writable_bytes(std::span(&name, 1));
  if (address == 0 || shared_.kernel.read_memory(tid, address, into) < sizeof(sockaddr_in)) return "";
  const bool internet = name.sin6_family == AF_INET || name.sin6_family == AF_INET6;
  return internet ? socket_name(&name, sizeof name) : "";
}

void Accepts::record(TrackedThread& thread, const Call& call, const Notification& notification,
                     const Socket& listener) {
  const std::uint64_t address = notification.arguments[1];
  std::string before = address == 0 ? "" : internet_name_at(notification.tid, address);
  thread.accepted = {address, std::move(before), shared_.meter.paths().accepts(call, listener)};
}

void Accepts::is_over(TrackedThread& thread) {
  if (thread.accepted.address == 0) return;
  const auto [address, before, event] = std::exchange(thread.accepted, {});
  const std::string name = internet_name_at(thread.metered->tid(), address);
  if (!name.empty() && name != before) shared_.meter.paths().accepted_from(*thread.metered, event, name);
}

void Accepts::settle_old(std::int64_t now_ns) {
  constexpr std::int64_t kOldNs = 100'000'000, kPauses = 20;
  std::set<std::uint32_t> searched;
  for (const AwaitedPath& accept : shared_.meter.paths().old_accepts(now_ns - kOldNs)) {
    const std::uint32_t pid = accept.thread->pid();
    TrackedThread* thread = shared_.table.thread(accept.thread->tid());
    if (thread == nullptr || searched.contains(pid)) continue;
    if (now_ns < thread->process->search_at_ns || inspector_.may_be_in_call(*thread, accept.descriptor)) continue;
    is_over(*thread);
    searched.insert(pid);
    const std::size_t open = search_connections(*thread, pid);
    if (is_missing_one(pid, now_ns - kOldNs)) search_children(*thread);
    thread->process->search_at_ns = now_ns + kPauses * (shared_.clock.steady_now_ns() - now_ns);
    give_up_missing(pid, now_ns - kOldNs, shared_.kernel.has_no_descriptor_left(pid, open));
  }
}

void Accepts::give_up_missing(std::uint32_t pid, std::int64_t since_ns, bool none_left) {
  for (const AwaitedPath& missing : shared_.meter.paths().old_accepts(since_ns)) {
    TrackedThread* by = shared_.table.thread(missing.thread->tid());
    if (missing.thread->pid() != pid || by == nullptr) continue;
    if (!inspector_.may_be_in_call(*by, missing.descriptor)) shared_.meter.paths().give_up_accept(missing, none_left);
  }
}

bool Accepts::is_missing_one(std::uint32_t pid, std::int64_t since_ns) {
  const auto old = shared_.meter.paths().old_accepts(since_ns);
  return std::any_of(old.begin(), old.end(), [pid](const AwaitedPath& accept) { return accept.thread->pid() == pid; });
}

// A child that was forked after the accept may have the connection and not have used it yet, because it waits for a CPU,
// while its parent has closed it.
void Accepts::search_children(const TrackedThread& parent) {
  constexpr std::size_t kSearchedMax = 64;  // the youngest
  const std::span children(parent.process->kinship.children);
  for (const std::uint32_t pid : children.last(std::min(kSearchedMax, children.size())))
    if (TrackedThread* child = shared_.table.thread(pid)) search_connections(*child, parent.metered->pid());
}

// Shows the meter every descriptor of the thread's process, and returns their number.
std::size_t Accepts::search_connections(TrackedThread& thread, std::uint32_t accepting_pid) {
  const auto numbers = shared_.kernel.read_descriptor_numbers(thread.metered->pid());
  for (const int number : numbers) {
    const UniqueFd fd = inspector_.borrow(thread, number);
    if (!fd) continue;
    const DescriptorIdentity identity = shared_.files.identify(fd.get(), thread.was_socket(number));
    if (identity.kind != DescriptorIdentity::Kind::socket) continue;
    if (Socket* socket = inspector_.socket_behind(fd.get(), identity.id))
      shared_.meter.paths().has_connection(accepting_pid, *socket);
  }
  return numbers.size();
}

}  // namespace dpm
