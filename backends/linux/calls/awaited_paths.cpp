#include "backends/linux/calls/awaited_paths.hpp"

#include <algorithm>
#include <iterator>

namespace dpm {
namespace {

bool same_service(const std::string& bound, const std::string& local) {
  if (bound == local) return true;
  // A listener bound to every address: the connection has one of them.
  const auto port = [](const std::string& name) {
    const auto colon = name.rfind(':');
    return colon == std::string::npos || name.front() == '/' ? std::string() : name.substr(colon);
  };
  const std::string bound_port = port(bound);
  const bool any = bound.starts_with("0.0.0.0:") || bound.starts_with("[::]:");
  return any && !bound_port.empty() && bound_port == port(local);
}

// How certain it is that the accept got the connection; 0: it did not.
int likelihood(const AwaitedPath& path, const std::string& local, const std::string& peer, std::uint32_t pid) {
  if (!path.accepts || !same_service(path.listener, local)) return 0;
  const bool names_known = !path.peer.empty() && !peer.empty();
  if (names_known) return path.peer == peer ? 3 : 0;
  return path.thread->pid() == pid ? 2 : 1;
}

}  // namespace

template <typename Wanted>
std::vector<AwaitedPath> AwaitedPaths::take_if(Wanted&& wanted) {
  std::vector<AwaitedPath> taken;
  std::copy_if(paths_.begin(), paths_.end(), std::back_inserter(taken), wanted);
  if (!taken.empty()) std::erase_if(paths_, wanted);
  return taken;
}

std::optional<AwaitedPath> AwaitedPaths::take_at(std::vector<AwaitedPath>::iterator at) {
  if (at == paths_.end()) return std::nullopt;
  AwaitedPath taken = std::move(*at);
  paths_.erase(at);
  return taken;
}

std::vector<AwaitedPath>::iterator AwaitedPaths::accept_of(const MeteredThread& thread, std::uint64_t event) {
  return std::find_if(paths_.begin(), paths_.end(), [&](const AwaitedPath& path) {
    return path.accepts && path.thread == &thread && path.event == event;
  });
}

void AwaitedPaths::accepted_from(const MeteredThread& thread, std::uint64_t event, const std::string& peer) {
  if (const auto accept = accept_of(thread, event); accept != paths_.end()) accept->peer = peer;
}

std::optional<AwaitedPath> AwaitedPaths::take_accept(const std::string& local, const std::string& peer,
                                                     std::uint32_t pid, bool of_any_process) {
  const auto less_likely = [&](const AwaitedPath& a, const AwaitedPath& b) {
    return likelihood(a, local, peer, pid) < likelihood(b, local, peer, pid);
  };
  const auto best = std::max_element(paths_.begin(), paths_.end(), less_likely);  // the first of equals
  if (best == paths_.end() || likelihood(*best, local, peer, pid) < (of_any_process ? 1 : 2)) return std::nullopt;
  return take_at(best);
}

std::optional<AwaitedPath> AwaitedPaths::take_connect(std::uint32_t pid, std::int32_t descriptor) {
  return take_at(std::find_if(paths_.begin(), paths_.end(), [&](const AwaitedPath& path) {
    return !path.accepts && path.descriptor == descriptor && path.thread->pid() == pid;
  }));
}

std::vector<AwaitedPath> AwaitedPaths::give_up_all_of(const MeteredThread& thread) {
  auto all = take_if([&thread](const AwaitedPath& path) { return path.thread == &thread; });
  for (const AwaitedPath& path : all) remember(path);
  return all;
}

std::vector<AwaitedPath> AwaitedPaths::take_old_connects(std::int64_t since_ns) {
  return take_if([since_ns](const AwaitedPath& path) { return !path.accepts && path.since_ns <= since_ns; });
}

std::vector<AwaitedPath> AwaitedPaths::old_accepts(std::int64_t since_ns) const {
  std::vector<AwaitedPath> old;
  std::copy_if(paths_.begin(), paths_.end(), std::back_inserter(old),
               [since_ns](const AwaitedPath& path) { return path.accepts && path.since_ns <= since_ns; });
  return old;
}

std::optional<AwaitedPath> AwaitedPaths::give_up(const MeteredThread& thread, std::uint64_t event) {
  auto path = take_at(accept_of(thread, event));
  if (path) remember(*path);
  return path;
}

void AwaitedPaths::remember(const AwaitedPath& path) {
  constexpr std::size_t kRememberedMax = 1000;
  if (!path.accepts) return;
  if (given_up_.size() == kRememberedMax) given_up_.erase(given_up_.begin());
  given_up_.push_back(path.listener);
}

bool AwaitedPaths::was_given_up(const std::string& local) {
  const auto found = std::find_if(given_up_.begin(), given_up_.end(),
                                  [&local](const std::string& listener) { return same_service(listener, local); });
  if (found == given_up_.end()) return false;
  given_up_.erase(found);
  return true;
}

}  // namespace dpm
