#include "analysis/causality/roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "model/nearest_name.hpp"
#include "model/process_names.hpp"

namespace dpm {
namespace {

bool is_message(const HistoryEvent& event) {
  return event.kind() == HistoryKind::send || event.kind() == HistoryKind::receive;
}

std::uint32_t owner_of(const History& history, std::uint32_t event) {
  const auto after = std::upper_bound(history.first_event.begin(), history.first_event.end(), event);
  return static_cast<std::uint32_t>(after - history.first_event.begin() - 1);
}

// What each process of the server did first with an outside process.
struct FirstContact {
  bool sent = false;
  bool received = false;
};

// Walks the graph in causal order and keeps, for up to 64 outside processes at a time, which of them can have
// influenced each event so far. Answers for each whether the server sent to it before it can have influenced the
// server.
class FirstSpeaker {
 public:
  FirstSpeaker(const History& history, const std::vector<std::uint32_t>& candidates)
      : history_(history), bit_(history.info.processes.size(), 0), heard_(history.process_count(), 0) {
    for (std::size_t i = 0; i < candidates.size(); ++i) bit_[candidates[i]] = std::uint64_t{1} << i;
  }

  // Bits of the candidates that the server spoke to first.
  std::uint64_t run() {
    next_ = std::vector<std::uint32_t>(history_.first_event.begin(), history_.first_event.end() - 1);
    heard_at_send_.assign(history_.events.size(), 0);
    std::vector<std::uint32_t> ready(history_.process_count());
    for (std::uint32_t p = 0; p < ready.size(); ++p) ready[p] = p;
    while (!ready.empty()) {
      const std::uint32_t process = ready.back();
      ready.pop_back();
      advance(process, ready);
    }
    return spoken_to_first_;
  }

 private:
  // Runs a process until a receive whose send has not been reached.
  void advance(std::uint32_t process, std::vector<std::uint32_t>& ready) {
    for (auto& at = next_[process]; at < history_.first_event[process + 1]; ++at) {
      const HistoryEvent& event = history_.events[at];
      const bool matched = event.match != kNoEvent;
      const bool arrival = needs_match(event.kind());
      if (arrival && matched) {
        const std::uint32_t sender = owner_of(history_, event.match);
        if (next_[sender] <= event.match) return;  // the sender, below, resumes it
        heard_[process] |= heard_at_send_[event.match];
      } else if (event.kind() == HistoryKind::receive) {
        heard_[process] |= bit_of(event.peer);
      } else if (event.kind() == HistoryKind::send && !matched && event.arc() == ArcKind::outside) {
        spoken_to_first_ |= bit_of(event.peer) & ~heard_[process];
      } else if (matched) {
        heard_at_send_[at] = heard_[process];
        const std::uint32_t receiver = owner_of(history_, event.match);
        if (next_[receiver] == event.match) ready.push_back(receiver);
      }
    }
  }

  std::uint64_t bit_of(std::uint32_t process) const { return process < bit_.size() ? bit_[process] : 0; }

  const History& history_;
  std::vector<std::uint64_t> bit_;    // by process number
  std::vector<std::uint64_t> heard_;  // by process number: the candidates that can have influenced it
  std::vector<std::uint64_t> heard_at_send_;
  std::vector<std::uint32_t> next_;
  std::uint64_t spoken_to_first_ = 0;
};

std::vector<FirstContact> first_contacts(const History& history) {
  std::vector<FirstContact> contacts(history.info.processes.size());
  std::vector<std::uint32_t> met_by(contacts.size(), kNoEvent);
  for (std::uint32_t process = 0; process < history.process_count(); ++process) {
    for (const HistoryEvent& event : history.of(ProcessId{process})) {
      if (!is_message(event) || event.arc() != ArcKind::outside || event.peer >= contacts.size()) continue;
      if (met_by[event.peer] == process) continue;
      met_by[event.peer] = process;
      auto& contact = contacts[event.peer];
      (event.kind() == HistoryKind::send ? contact.sent : contact.received) = true;
    }
  }
  return contacts;
}

// Processes outside the computation that sent something to it.
std::vector<std::uint32_t> heard_from(const History& history) {
  std::vector<bool> heard(history.info.processes.size());
  for (const HistoryEvent& event : history.events)
    if (event.kind() == HistoryKind::receive && event.arc() == ArcKind::outside && event.peer < heard.size())
      heard[event.peer] = true;
  std::vector<std::uint32_t> processes;
  for (std::uint32_t p = 0; p < heard.size(); ++p)
    if (heard[p]) processes.push_back(p);
  return processes;
}

bool is_on_device(const TraceInfo& info, std::uint32_t process) {
  const MachineId machine = info.processes[process].machine;
  return machine.value < info.machines.size() && !info[machine].accepts;
}

// `pattern` may contain "*" for any characters and "?" for one.
bool matches(std::string_view name, std::string_view pattern) {
  std::size_t n = 0, p = 0, star = std::string_view::npos, tried = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      tried = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++tried;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Result<void> apply(const History& history, const std::vector<std::string>& names, CausalityRole role,
                   std::vector<CausalityRole>& roles, std::vector<bool>& given) {
  for (const auto& name : names) {
    bool found = false;
    for (std::uint32_t p = 0; p < history.info.processes.size(); ++p) {
      if (!is_called(history.info, ProcessId{p}, [&](const std::string& called) { return matches(called, name); }))
        continue;
      if (given[p] && roles[p] != role)
        return Error{fmt::format("'{}' cannot be both requestor and system process", name)};
      found = given[p] = true;
      roles[p] = role;
    }
    if (!found) {
      std::vector<std::string> valid;
      for (const auto& process : history.info.processes) valid.push_back(process.name);
      return Error{fmt::format("no process '{}' in the trace{}", name, did_you_mean(name, valid))};
    }
  }
  return {};
}

}  // namespace

Result<std::vector<CausalityRole>> classify(const History& history, const CausalityRoles& given) {
  std::vector<CausalityRole> roles(history.info.processes.size(), CausalityRole::absent);
  const auto contacts = first_contacts(history);
  std::vector<std::uint32_t> unclear;
  for (std::uint32_t p = 0; p < roles.size(); ++p) {
    if (p < history.process_count() && !history.of(ProcessId{p}).empty()) {
      roles[p] = CausalityRole::server;
    } else if (is_on_device(history.info, p)) {
      if (contacts[p].sent || contacts[p].received) roles[p] = CausalityRole::system;
    } else if (contacts[p].sent && contacts[p].received) {
      unclear.push_back(p);
    } else if (contacts[p].sent) {
      roles[p] = CausalityRole::system;
    } else if (contacts[p].received) {
      roles[p] = CausalityRole::requestor;
    }
  }
  for (std::size_t begin = 0; begin < unclear.size(); begin += 64) {
    const auto end = std::min(unclear.size(), begin + 64);
    const std::vector<std::uint32_t> batch(unclear.begin() + static_cast<std::ptrdiff_t>(begin),
                                           unclear.begin() + static_cast<std::ptrdiff_t>(end));
    const std::uint64_t system = FirstSpeaker(history, batch).run();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      roles[batch[i]] = (system >> i & 1) != 0 ? CausalityRole::system : CausalityRole::requestor;
    }
  }
  // A server that greets its clients speaks first as well. Where no peer spoke first, the peers that were spoken to are
  // the clients: otherwise the computation would have no requests, and no causality strings at all.
  if (std::find(roles.begin(), roles.end(), CausalityRole::requestor) == roles.end()) {
    for (const std::uint32_t p : heard_from(history)) roles[p] = CausalityRole::requestor;
  }
  std::vector<bool> is_given(roles.size(), false);
  if (auto ok = apply(history, given.requestors, CausalityRole::requestor, roles, is_given); !ok) return ok.error();
  if (auto ok = apply(history, given.systems, CausalityRole::system, roles, is_given); !ok) return ok.error();
  return roles;
}

}  // namespace dpm
