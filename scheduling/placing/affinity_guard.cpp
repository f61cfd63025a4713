#include "scheduling/placing/affinity_guard.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "backends/linux/custody/keeper/detached_process.hpp"
#include "os/process_handle.hpp"
#include "scheduling/placing/linux_affinity_calls.hpp"

namespace dpm {
namespace {

constexpr std::size_t kLineMost = 64 * 1024;
constexpr const char* kOk = "ok";

bool say(const UniqueFd& connection, const std::string& text) {
  ssize_t sent;
  do sent = ::send(connection.get(), text.data(), text.size(), MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(text.size());
}

// Empty: the other end has closed.
std::string hear(const UniqueFd& connection) {
  std::string text(kLineMost, '\0');
  ssize_t length;
  do length = ::recv(connection.get(), text.data(), text.size(), 0);
  while (length < 0 && errno == EINTR);
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return text;
}

Error without_guard() {
  return Error{"the process that would restore the CPU affinities has ended: no process is moved from now on"};
}

}  // namespace

void guard_affinities(UniqueFd connection, UniqueFd scheduler, AffinityCalls& calls) {
  AffinityRecord record;
  for (;;) {
    pollfd items[] = {{connection.get(), POLLIN, 0}, {scheduler.get(), POLLIN, 0}};
    if (::poll(items, 2, -1) < 0) continue;
    // Lines that a killed scheduler had sent count: it may have been about to act on them.
    if (items[0].revents == 0) break;
    const std::string line = hear(connection);
    if (line.empty()) break;
    if (line == "end") break;
    say(connection, record.add_line(line) ? kOk : "refused");
  }
  const RestoredThreads restored = record.restore_all(calls);
  say(connection, fmt::format("{} {}", restored.threads, restored.failed));
}

Result<AffinityGuard> AffinityGuard::start() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return Error::from_errno("make the connection to the guard of CPU affinities");
  UniqueFd ours(ends[0]), theirs(ends[1]);
  UniqueFd scheduler = open_process(static_cast<std::uint32_t>(::getpid()));
  if (!scheduler) return Error::from_errno("watch this process for the guard of CPU affinities");
  const int kept[] = {theirs.get(), scheduler.get()};
  const DetachedWork work = {[] { return Result<void>(); },
                             [&] {
                               LinuxAffinityCalls calls;
                               guard_affinities(std::move(theirs), std::move(scheduler), calls);
                             }};
  const std::string description = fmt::format("of {}", ::getpid());
  if (auto done = spawn_detached("dpm-affinity", description, kept, work); !done) return done.error();
  return AffinityGuard(std::move(ours));
}

Result<void> AffinityGuard::note(const std::string& line) {
  if (!connection_ || !say(connection_, line)) return without_guard();
  const std::string answer = hear(connection_);
  if (answer.empty()) return without_guard();
  if (answer != kOk) return Error{"the guard of CPU affinities does not understand '" + line + "'"};
  return {};
}

Result<RestoredThreads> AffinityGuard::end() {
  if (!connection_ || !say(connection_, "end")) return without_guard();
  const std::string answer = hear(connection_);
  connection_.reset();
  RestoredThreads restored;
  if (std::sscanf(answer.c_str(), "%zu %zu", &restored.threads, &restored.failed) != 2) return without_guard();
  return restored;
}

}  // namespace dpm
