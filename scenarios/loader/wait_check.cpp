#include "scenarios/loader/wait_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "scenarios/behaviour/step_walk.hpp"

namespace dpm {

void WaitCheck::check() {
  const auto& entries = processes_.entries;
  if (std::any_of(entries.begin(), entries.end(), [](const auto& entry) { return entry.programs.empty(); })) return;
  collect_routes();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].members.empty()) continue;
    const Behaviour& behaviour = *entries[i].programs.front()->behaviour;
    check_waits(i, behaviour.start);
    for (const Handler& handler : behaviour.handlers) check_waits(i, handler.steps);
    if (behaviour.idle) check_waits(i, behaviour.idle->steps);
    if (behaviour.queue) check_waits(i, behaviour.queue->steps);
  }
}

void WaitCheck::collect_routes() {
  const auto add = [this](std::size_t from, const KindName& kind, const ProcessNames& to) {
    Routes& routes = routes_[kind.code];
    routes.kind = kind.name;
    if (to == nullptr) {
      routes.from_to_anyone.insert(from);
      return;
    }
    for (const std::size_t entry : entries_of(to)) {
      routes.from_to.emplace(from, entry);
      routes.to.insert(entry);
    }
  };
  for (std::size_t i = 0; i < processes_.entries.size(); ++i) {
    for (const auto& program : processes_.entries[i].programs) {
      for (const SentKind& sent : program->sent) add(i, sent.kind, sent.to);
      for (const KindName& reply : program->replies) add(i, reply, nullptr);
    }
  }
}

void WaitCheck::check_waits(std::size_t entry, const Steps& steps) {
  Steps walked = steps;
  each_step(walked, [&](Step& step) {
    const auto* wait = std::get_if<steps::Wait>(&step.what);
    if (wait == nullptr || wait->timeout.after || (wait->count.expression == nullptr && wait->count.number == 0) ||
        step.probability == 0)
      return;
    const ProcessNames& from = wait->from.processes;
    const bool may_end = std::any_of(wait->kinds.begin(), wait->kinds.end(),
                                     [&](const KindName& kind) { return kind.any || may_come(kind, entry, from); });
    if (may_end || wait->kinds.empty()) return;
    const KindName& first = wait->kinds.front();
    const std::string no_sender = from == nullptr     ? "no process sends"
                                  : from->size() == 1 ? fmt::format("'{}' does not send", from->front())
                                                      : fmt::format("no process of '{}' sends", wait->from.name);
    problems_.add(first.line, fmt::format("process '{}' waits for '{}' without a timeout, and {} it to this process{}",
                                          scenario_.processes[processes_.entries[entry].members.front()].name,
                                          first.name, no_sender, hint(first.name, kinds_for(entry, from))));
  });
}

bool WaitCheck::may_come(const Routes& routes, std::size_t receiver, const ProcessNames& from) {
  if (from == nullptr) return !routes.from_to_anyone.empty() || routes.to.contains(receiver);
  const auto& senders = entries_of(from);
  return std::any_of(senders.begin(), senders.end(), [&](std::size_t sender) {
    return routes.from_to_anyone.contains(sender) || routes.from_to.contains({sender, receiver});
  });
}

bool WaitCheck::may_come(const KindName& kind, std::size_t receiver, const ProcessNames& from) {
  const auto found = routes_.find(kind.code);
  return found != routes_.end() && may_come(found->second, receiver, from);
}

std::vector<std::string> WaitCheck::kinds_for(std::size_t receiver, const ProcessNames& from) {
  std::vector<std::string> kinds;
  for (const auto& [code, routes] : routes_)
    if (may_come(routes, receiver, from)) kinds.push_back(routes.kind);
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

const std::set<std::size_t>& WaitCheck::entries_of(const ProcessNames& names) {
  const auto [found, is_new] = entries_.try_emplace(names);
  if (is_new)
    for (const std::string& name : *names) found->second.insert(processes_.entry_of.at(name));
  return found->second;
}

}  // namespace dpm
