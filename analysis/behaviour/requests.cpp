#include "analysis/behaviour/requests.hpp"

#include <fmt/format.h>

#include <unordered_map>

namespace dpm {
namespace {

constexpr std::size_t kAlikeAtLeast = 4;

}  // namespace

std::vector<Request> find_requests(const History& history, std::uint32_t process) {
  constexpr std::size_t kNotClient = ~std::size_t{0};
  std::vector<Request> requests;
  std::unordered_map<std::uint32_t, std::size_t> open;  // by peer: its last request
  for (std::uint32_t e = history.first_event[process]; e < history.first_event[process + 1]; ++e) {
    const HistoryEvent& event = history.events[e];
    if (event.match == kNoEvent || event.peer == process) continue;
    if (event.kind() == HistoryKind::receive) {
      const auto [client, is_new] = open.try_emplace(event.peer, requests.size());
      if (client->second == kNotClient) continue;
      client->second = requests.size();
      requests.push_back({e, {}});
    } else if (event.kind() == HistoryKind::send) {
      const auto [client, is_new] = open.try_emplace(event.peer, kNotClient);
      if (client->second != kNotClient) requests[client->second].answers.push_back(e);
    }
  }
  return requests;
}

std::map<RequestKind, std::vector<Request>> by_kind(const History& history, const std::vector<Request>& requests) {
  std::map<RequestKind, std::vector<Request>> kinds;
  for (const Request& request : requests) {
    const HistoryEvent& event = history.events[request.receive];
    kinds[{event.length_bytes, request.answers.size(), history.info.processes[event.peer].program}].push_back(request);
  }
  std::erase_if(kinds, [](const auto& kind) { return kind.second.size() < kAlikeAtLeast; });
  return kinds;
}

std::vector<std::string> reaction(const History& history, const Request& request, const RequestQueue* queue) {
  std::vector<std::string> reaction;
  const std::uint32_t client = history.events[request.receive].peer;
  const auto note = [&](const HistoryEvent& event) {
    if (event.kind() != HistoryKind::send) return;
    reaction.push_back(event.peer == client    ? fmt::format("answer {}", event.length_bytes)
                       : event.peer == kNoPeer ? std::string()
                                               : history.info.processes[event.peer].program);
  };
  if (queue != nullptr && queue->defers()) {
    for (const std::uint32_t e : queue->work_of.at(request.receive).events) note(history.events[e]);
    return reaction;
  }
  for (std::uint32_t e = request.receive + 1; e < history.events.size(); ++e) {
    const HistoryEvent& event = history.events[e];
    if (event.kind() == HistoryKind::receive || event.kind() == HistoryKind::end) break;
    note(event);
  }
  return reaction;
}

AfterReceive after_receive(const History& history, MessageCosts& costs, std::uint32_t process, std::uint32_t receive) {
  AfterReceive after;
  for (after.next = receive + 1; after.next < history.first_event[process + 1]; ++after.next) {
    const HistoryEvent& event = history.events[after.next];
    after.work_ns += costs.cpu(event, process).before_ns;
    if (event.kind() == HistoryKind::receive) break;
    after.sends |= event.kind() == HistoryKind::send;
  }
  return after;
}

}  // namespace dpm
