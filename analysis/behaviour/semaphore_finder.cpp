#include "analysis/behaviour/semaphore_finder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/behaviour/requests.hpp"

namespace dpm {
namespace {

constexpr std::size_t kWaitedAtLeast = 4;  // fewer may be by chance

// What takes and what gives, by program and size.
using Kind = std::pair<std::string, std::uint32_t>;
struct Kinds {
  std::set<Kind> takes, gives;
};

class SemaphoreFinder {
 public:
  SemaphoreFinder(const History& history, std::uint32_t process)
      : history_(history),
        process_(process),
        first_(history.first_event[process]),
        end_(history.first_event[process + 1] - 1) {}

  std::optional<RequestQueue> run() {
    if (!find_answers()) return std::nullopt;
    find_kinds();
    return queue(kWaitedAtLeast, std::nullopt);
  }

  // Of a process of a program whose other processes are known, unless the trace contradicts it.
  std::optional<RequestQueue> run_as(const Kinds& kinds, std::int64_t units) {
    if (!find_answers()) return std::nullopt;
    kinds_ = kinds;
    return queue(0, units);
  }

  const Kinds& kinds() const { return kinds_; }

 private:
  std::optional<RequestQueue> queue(std::size_t waited_at_least, std::optional<std::int64_t> units) {
    queue_.process = process_;
    find_takes();
    if (takes_.empty() || gives_.empty() || !count_units(waited_at_least, units)) return std::nullopt;
    describe_work();
    return std::move(queue_);
  }

  Kind kind_of(std::uint32_t request) const {
    const HistoryEvent& event = history_.events[request];
    return {history_.info.processes[event.peer].program, event.length_bytes};
  }

  // Whether it only receives requests and answers them, each once at most.
  bool find_answers() {
    for (const Request& request : find_requests(history_, process_)) {
      requests_.insert(request.receive);
      if (request.answers.size() > 1) return false;
      if (!request.answers.empty()) request_of_[request.answers.front()] = request.receive;
    }
    for (std::uint32_t e = first_; e < end_; ++e) {
      const HistoryKind kind = history_.events[e].kind();
      const bool known = kind == HistoryKind::start || (kind == HistoryKind::receive && requests_.contains(e)) ||
                         (kind == HistoryKind::send && request_of_.contains(e));
      if (!known) return false;
    }
    return true;
  }

  // Takes are of the kinds that are sometimes answered after another message. What that message is gives.
  void find_kinds() {
    std::uint32_t received = kNoEvent;
    for (std::uint32_t e = first_; e < end_; ++e) {
      if (requests_.contains(e)) received = e;
      const auto answered = request_of_.find(e);
      if (answered == request_of_.end() || answered->second == received) continue;
      kinds_.takes.insert(kind_of(answered->second));
      kinds_.gives.insert(kind_of(received));
    }
  }

  void find_takes() {
    std::set<std::uint32_t> is_answered;
    std::map<std::uint32_t, std::int64_t> held;  // by client that is ever answered
    for (const auto& [answer, request] : request_of_) {
      is_answered.insert(request);
      held[history_.events[request].peer] = 0;
    }
    for (const std::uint32_t request : requests_) {
      const Kind kind = kind_of(request);
      const auto client = held.find(history_.events[request].peer);
      // A take that waits when the trace ends may look like a give; who gives has taken.
      const bool waits = kinds_.takes.contains(kind) && client != held.end() && client->second == 0;
      if (is_answered.contains(request) && kinds_.takes.contains(kind)) {
        takes_.insert(request);
        ++client->second;
      } else if (kinds_.gives.contains(kind) && !waits) {
        gives_.insert(request);
        if (client != held.end()) --client->second;
      }
    }
  }

  bool count_units(std::size_t waited_at_least, std::optional<std::int64_t> expected) {
    RequestQueue::Semaphore semaphore;
    std::deque<std::uint32_t> waiting;
    std::set<std::int64_t> while_one_waited;
    std::int64_t units = 0, least = 0;  // more than at the beginning
    for (std::uint32_t e = first_; e < end_; ++e) {
      if (requests_.contains(e)) {
        if (!waiting.empty()) while_one_waited.insert(units);
        if (takes_.contains(e)) waiting.push_back(e);
        if (gives_.contains(e)) ++units;
      } else if (const auto answered = request_of_.find(e);
                 answered != request_of_.end() && takes_.contains(answered->second)) {
        if (waiting.empty() || waiting.front() != answered->second) return false;
        waiting.pop_front();
        least = std::min(least, --units);
        semaphore.waited += e > answered->second + 1 ? 1 : 0;
      }
    }
    if (semaphore.waited < waited_at_least) return false;
    semaphore.units = expected.value_or(-least);
    const auto none_left = [&semaphore](std::int64_t then) { return then == -semaphore.units; };
    if (semaphore.units < -least || !std::all_of(while_one_waited.begin(), while_one_waited.end(), none_left))
      return false;
    semaphore.takes.insert(takes_.begin(), takes_.end());
    semaphore.gives.insert(gives_.begin(), gives_.end());
    queue_.semaphore = std::move(semaphore);
    return true;
  }

  // Other requests, and what is done for a give, come before takes.
  void describe_work() {
    enum : std::uint32_t { kOthers, kTakes };
    queue_.before = {{false, true}, {false, false}};
    for (const std::uint32_t request : requests_) {
      queue_.work_of[request].rank_class = takes_.contains(request) ? kTakes : kOthers;
      if (request + 1 < end_) queue_.cpu_of_request.insert(request + 1);
    }
    for (const auto& [answer, request] : request_of_) queue_.work_of[request].events = {answer};
  }

  const History& history_;
  const std::uint32_t process_, first_, end_;
  std::set<std::uint32_t> requests_, takes_, gives_;   // RECEIVEs
  std::map<std::uint32_t, std::uint32_t> request_of_;  // by the SEND that answers it
  Kinds kinds_;
  RequestQueue queue_;
};

// The trace may end before what is given last is received.
void find_last_gives(const History& history, const std::map<std::string, Kinds>& kinds,
                     std::vector<RequestQueue>& found) {
  std::map<std::uint32_t, RequestQueue*> queues;
  for (RequestQueue& queue : found) queues.emplace(queue.process, &queue);
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    const std::string& program = history.info.processes[p].program;
    for (std::uint32_t e = history.first_event[p]; e < history.first_event[p + 1]; ++e) {
      const HistoryEvent& event = history.events[e];
      if (event.kind() != HistoryKind::send || event.match != kNoEvent) continue;
      const auto queue = queues.find(event.peer);
      if (queue == queues.end()) continue;
      const Kinds& known = kinds.at(history.info.processes[event.peer].program);
      const Kind kind{program, event.length_bytes};
      if (known.gives.contains(kind) && !known.takes.contains(kind)) queue->second->semaphore->last_gives.insert(e);
    }
  }
}

}  // namespace

std::vector<RequestQueue> find_semaphores(const History& history, const std::vector<bool>& settled) {
  std::vector<RequestQueue> found;
  std::map<std::string, Kinds> kinds;  // by program
  std::map<std::string, std::int64_t> units;
  std::vector<std::uint32_t> others;
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    if (settled[p] || history.first_event[p] == history.first_event[p + 1]) continue;
    SemaphoreFinder finder(history, p);
    if (auto queue = finder.run()) {
      const std::string& program = history.info.processes[p].program;
      kinds[program] = finder.kinds();
      units[program] = queue->semaphore->units;
      found.push_back(std::move(*queue));
    } else {
      others.push_back(p);
    }
  }
  for (const std::uint32_t p : others) {
    const std::string& program = history.info.processes[p].program;
    const auto known = kinds.find(program);
    if (program.empty() || known == kinds.end()) continue;
    if (auto queue = SemaphoreFinder(history, p).run_as(known->second, units[program]))
      found.push_back(std::move(*queue));
  }
  find_last_gives(history, kinds, found);
  return found;
}

std::string reason_of_semaphore(std::int64_t units, std::size_t waited) {
  const std::string modelled = units == 1 ? "a lock" : fmt::format("a semaphore, {} at the beginning", units);
  return fmt::format("answer a request only when another process has given back, {} times: modelled as {}", waited,
                     modelled);
}

}  // namespace dpm
