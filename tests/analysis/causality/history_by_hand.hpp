// A History written as a story: sends and receives between processes, in the order of the calls.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm::testing {

class Story {
 public:
  // The first `server_processes` names are the computation, the others are outside.
  Story(std::vector<std::string> names, std::uint32_t server_processes)
      : servers_(server_processes), events_(names.size()) {
    info_.machines = {{"red", 1}};
    for (std::uint32_t p = 0; p < names.size(); ++p) {
      info_.processes.push_back({names[p], names[p], MachineId{0}, 0, p < servers_});
    }
  }

  void send(const std::string& from, const std::string& to) { happen(from, to, HistoryKind::send); }
  // Receives the earliest message of `from` that is still on its way.
  void receive(const std::string& at, const std::string& from) { happen(at, from, HistoryKind::receive); }
  void message(const std::string& from, const std::string& to) {
    send(from, to);
    receive(to, from);
  }

  History build() const {
    History history;
    history.info = info_;
    history.first_event.push_back(0);
    for (const auto& process : events_) {
      history.events.insert(history.events.end(), process.begin(), process.end());
      history.first_event.push_back(static_cast<std::uint32_t>(history.events.size()));
    }
    for (std::uint32_t p = 0; p < events_.size(); ++p) match_sends(history, p);
    return history;
  }

 private:
  std::uint32_t number(const std::string& name) const {
    for (std::uint32_t p = 0; p < info_.processes.size(); ++p) {
      if (info_.processes[p].name == name) return p;
    }
    DPM_CHECK(!"a name of the story");
    return 0;
  }

  void happen(const std::string& who, const std::string& peer, HistoryKind kind) {
    const auto process = number(who);
    if (process >= servers_) return;  // a History has no events of processes outside
    HistoryEvent event;
    event.cpu_ns = 10;
    event.peer = number(peer) & 0xffffffu;
    event.kind_bits = static_cast<std::uint8_t>(kind) & 7u;
    event.arc_bits = static_cast<std::uint8_t>(event.peer >= servers_ ? ArcKind::outside : ArcKind::proven) & 7u;
    events_[process].push_back(event);
  }

  // The k-th send from p to q goes with the k-th receive of q from p.
  static void match_sends(History& history, std::uint32_t p) {
    for (std::uint32_t send = history.first_event[p]; send < history.first_event[p + 1]; ++send) {
      auto& event = history.events[send];
      if (event.kind() != HistoryKind::send || event.arc() == ArcKind::outside) continue;
      for (std::uint32_t at = history.first_event[event.peer]; at < history.first_event[event.peer + 1]; ++at) {
        auto& receive = history.events[at];
        if (receive.kind() != HistoryKind::receive || receive.peer != p || receive.match != kNoEvent) continue;
        receive.match = send;
        event.match = at;
        break;
      }
    }
  }

  std::uint32_t servers_;
  TraceInfo info_;
  std::vector<std::vector<HistoryEvent>> events_;
};

}  // namespace dpm::testing
