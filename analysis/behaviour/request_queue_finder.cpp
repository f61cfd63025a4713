#include "analysis/behaviour/request_queue_finder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "analysis/behaviour/requests.hpp"
#include "analysis/history/intake_limit.hpp"
#include "analysis/history/message_costs.hpp"
#include "analysis/history/replay.hpp"
#include "analysis/history/target.hpp"

namespace dpm {
namespace {

constexpr std::size_t kHeldAtLeast = 8;  // requests that another overtook, or that waited for one
// A server that looks whether more has come may wait for that long, and receive it then.
constexpr double kLook_ns = 10'000;
// Of the CPU time of the whole trace: less is the rounding of the costs of messages.
constexpr double kHandlingAtLeast = 2e-4;
constexpr std::int64_t kRefusal_ns = 1000;

// Whether a process could have a queue: it answers requests, and sometimes when another came after them.
bool may_have_queue(const History& history, std::uint32_t process) {
  for (const HistoryEvent& event : history.of(ProcessId{process})) {
    if (event.kind() == HistoryKind::receive && event.match == kNoEvent) return false;
    if (event.kind() == HistoryKind::wait || event.kind() == HistoryKind::create) return false;
  }
  const std::vector<Request> requests = find_requests(history, process);
  bool other_came = false;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].answers.size() > 1) return false;
    other_came |= i + 1 < requests.size() && !requests[i].answers.empty() &&
                  requests[i + 1].receive < requests[i].answers.front();
  }
  return other_came;
}

// The SENDs that messages of others answer: the k-th message of a process that was written to first answers the k-th to it. By
// RECEIVE.
std::unordered_map<std::uint32_t, std::uint32_t> answered_sends(const History& history, std::uint32_t process) {
  struct Asked {
    bool speaks_first = false;
    std::vector<std::uint32_t> sends;
    std::size_t answered = 0;
  };
  std::unordered_map<std::uint32_t, Asked> peers;
  std::unordered_map<std::uint32_t, std::uint32_t> send_of;
  for (std::uint32_t e = history.first_event[process]; e < history.first_event[process + 1]; ++e) {
    const HistoryEvent& event = history.events[e];
    if (event.match == kNoEvent || event.peer == process) continue;
    if (event.kind() == HistoryKind::send) peers[event.peer].sends.push_back(e);
    if (event.kind() != HistoryKind::receive) continue;
    Asked& asked = peers[event.peer];
    asked.speaks_first |= asked.sends.empty();
    if (!asked.speaks_first && asked.answered < asked.sends.size()) send_of[e] = asked.sends[asked.answered++];
  }
  return send_of;
}

class RequestQueueFinder {
 public:
  // `traced`: the schedule of the trace itself.
  RequestQueueFinder(const History& history, std::uint32_t process, MessageCosts& costs, const Schedule& traced)
      : history_(history),
        costs_(costs),
        traced_(traced),
        process_(process),
        first_(history.first_event[process]),
        end_(history.first_event[process + 1] - 1),
        asked_by_(answered_sends(history, process)) {}

  // A choice among requests alone must be seen often. That a server waits for others with a request in hand is enough, if all
  // requests of a kind are then the same work.
  std::optional<RequestQueue> run() {
    auto chooses = run_with(false);
    if (chooses && chooses->held >= kHeldAtLeast) return chooses;
    auto waits = run_with(true);
    return waits && waits->deferred > 0 ? std::move(waits) : std::nullopt;
  }

 private:
  std::string program_of(std::uint32_t request) const {
    return history_.info.processes[history_.events[request].peer].program;
  }

  std::optional<RequestQueue> run_with(bool waits) {
    waits_ = waits;
    queue_ = {};
    queue_.process = process_;
    answers_.clear();
    is_answered_.clear();
    late_.clear();
    choices_.clear();
    after_other_ = 0;
    waits_in_work_ = false;
    find_answers();
    if (!find_work() || refuses()) return std::nullopt;
    queue_.deferred = waits && waits_in_work_ && same_work() ? after_other_ : 0;
    if (!order_by_program() && !order_by_client()) return std::nullopt;
    find_cpu_of_requests();
    return std::move(queue_);
  }

  // Whether all requests of one size from one program are the same messages.
  bool same_work() const {
    std::map<std::pair<std::string, std::uint32_t>, std::vector<std::string>> kinds;
    for (const auto& [request, work] : queue_.work_of) {
      if (work.events.empty()) continue;
      std::vector<std::string> messages;
      for (const std::uint32_t e : work.events) {
        const HistoryEvent& event = history_.events[e];
        const std::string& peer = event.peer == kNoPeer ? std::string() : history_.info.processes[event.peer].program;
        messages.push_back(fmt::format("{} {}", static_cast<int>(event.kind()), peer));
      }
      const auto [kind, is_new] =
          kinds.try_emplace({program_of(request), history_.events[request].length_bytes}, messages);
      if (!is_new && kind->second != messages) return false;
    }
    return true;
  }

  // An answer that comes when the work that asked for it is done, such as the last of three where two are enough.
  bool is_late_answer(std::uint32_t e, const std::vector<std::uint32_t>& work) const {
    if (!waits_ || history_.events[e].kind() != HistoryKind::receive) return false;
    const auto asked = asked_by_.find(e);
    if (asked == asked_by_.end()) return work.empty();
    return !std::binary_search(work.begin(), work.end(), asked->second);
  }

  bool order_by_program() {
    std::map<std::string, std::uint32_t> programs;
    for (const auto& [request, work] : queue_.work_of) programs.emplace(program_of(request), 0);
    std::uint32_t number = 0;
    for (auto& [name, program] : programs) program = number++;
    return order_by([&](std::uint32_t request) { return programs.at(program_of(request)); }, false);
  }

  bool order_by_client() {
    std::map<std::uint32_t, std::uint32_t> clients;
    for (const auto& [request, work] : queue_.work_of) clients.emplace(history_.events[request].peer, 0);
    std::uint32_t number = 0;
    for (auto& [process, client] : clients) client = number++;
    return order_by([&](std::uint32_t request) { return clients.at(history_.events[request].peer); }, true);
  }

  void find_answers() {
    for (const Request& request : find_requests(history_, process_)) {
      queue_.work_of[request.receive];
      if (request.answers.empty()) continue;
      answers_[request.answers.front()] = request.receive;
      is_answered_.insert(request.receive);
    }
  }

  // The events between two answers, without the requests that come meanwhile, are the work for the second. A request that
  // comes during the work for another is only kept.
  bool find_work() {
    std::vector<std::uint32_t> work, held;
    bool begun = false, answered = false, kept = false;
    std::uint32_t received = kNoEvent;
    for (std::uint32_t e = first_; e < end_; ++e) {
      const bool is_receive = history_.events[e].kind() == HistoryKind::receive;
      if (std::exchange(kept, false) && !is_receive) return false;
      if (is_receive) received = e;
      if (const auto request = queue_.work_of.find(e); request != queue_.work_of.end()) {
        begun = true;
        kept = !work.empty();
        const bool idle = work.empty() && !held.empty();
        if (idle && waited_for(e)) return false;
        queue_.takes_all_first |= idle && answered;
        if (is_answered_.contains(e)) held.push_back(e);
        answered = false;
        continue;
      }
      if (!begun) continue;
      if (is_late_answer(e, work)) {
        late_.push_back(e);
        kept = !work.empty();
        continue;
      }
      waits_in_work_ |= is_receive;
      if (work.empty()) choices_.push_back({held, kNoEvent, received});
      work.push_back(e);
      const auto answer = answers_.find(e);
      answered = answer != answers_.end();
      if (!answered) continue;
      Choice& choice = choices_.back();
      choice.chosen = answer->second;
      if (std::find(choice.held.begin(), choice.held.end(), choice.chosen) == choice.held.end()) return false;
      queue_.held += choice.held.back() != choice.chosen ? 1 : 0;
      after_other_ += choice.after != choice.chosen ? 1 : 0;
      std::erase(held, choice.chosen);
      queue_.work_of[choice.chosen].events = std::exchange(work, {});
    }
    for (const std::uint32_t e : late_) queue_.work_of[e];
    return work.empty();
  }

  bool waited_for(std::uint32_t receive) const {
    return traced_.waited[receive] != 0 && traced_.finished_ns[receive] > traced_.finished_ns[receive - 1] + kLook_ns;
  }

  // Requests of one kind that are work at one time and at another are answered without: how many are refused depends on
  // how many wait.
  bool refuses() const {
    struct Answered {
      bool at_once = false, with_work = false;
    };
    std::map<std::pair<std::string, std::uint32_t>, Answered> kinds;
    for (const auto& [request, work] : queue_.work_of) {
      if (work.events.empty()) continue;
      Answered& kind = kinds[{program_of(request), history_.events[request].length_bytes}];
      const bool is_work = work.events.size() > 1 || cpu_ns(work.events.front()) > kRefusal_ns;
      (is_work ? kind.with_work : kind.at_once) = true;
    }
    return std::any_of(kinds.begin(), kinds.end(),
                       [](const auto& kind) { return kind.second.at_once && kind.second.with_work; });
  }

  std::int64_t cpu_ns(std::uint32_t e) const {
    return costs_.cpu(history_.events[e], process_, process_, history_.events[e].peer).before_ns;
  }

  // By classes of requests. `by_number`: if no choice contradicts, a lower class is before a higher one, so that what was
  // never chosen between is known, too.
  template <typename ClassOf>
  bool order_by(ClassOf class_of, bool by_number) {
    std::uint32_t classes = 0;
    for (auto& [request, work] : queue_.work_of) {
      work.rank_class = class_of(request);
      classes = std::max(classes, work.rank_class + 1);
    }
    auto& before = queue_.before;
    before.assign(classes, std::vector<bool>(classes));
    const auto rank_class = [this](std::uint32_t request) { return queue_.work_of.at(request).rank_class; };
    for (const Choice& choice : choices_) {
      for (const std::uint32_t other : choice.held) {
        const std::uint32_t a = rank_class(choice.chosen), b = rank_class(other);
        if (a == b && other < choice.chosen) return false;
        if (a != b && other < choice.chosen) before[a][b] = true;
      }
    }
    if (by_number) number(before);
    close(before);
    // First come, first served, where the order does not say otherwise.
    return std::all_of(choices_.begin(), choices_.end(), [&](const Choice& choice) {
      return std::all_of(choice.held.begin(), choice.held.end(),
                         [&](std::uint32_t other) { return !before[rank_class(other)][rank_class(choice.chosen)]; });
    });
  }

  static void number(std::vector<std::vector<bool>>& before) {
    for (std::size_t a = 0; a < before.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (before[a][b]) return;
    for (std::size_t a = 0; a < before.size(); ++a)
      for (std::size_t b = a + 1; b < before.size(); ++b) before[a][b] = true;
  }

  static void close(std::vector<std::vector<bool>>& before) {
    const std::size_t n = before.size();
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; before[i][k] && j < n; ++j)
          if (before[k][j]) before[i][j] = true;
  }

  // What a process does with each request when it comes shows where the next event is another RECEIVE.
  void find_cpu_of_requests() {
    std::int64_t handling_ns = 0;
    std::vector<std::uint32_t> next;
    for (const auto& [request, work] : queue_.work_of) {
      const std::uint32_t e = request + 1;
      if (e >= end_) continue;
      const bool is_receive = history_.events[e].kind() == HistoryKind::receive;
      if (is_receive) handling_ns += cpu_ns(e);
      if (is_receive || (!work.events.empty() && work.events.front() == e)) next.push_back(e);
    }
    if (static_cast<double>(handling_ns) > kHandlingAtLeast * static_cast<double>(history_.cpu_ns()))
      queue_.cpu_of_request.insert(next.begin(), next.end());
  }

  struct Choice {
    std::vector<std::uint32_t> held;  // RECEIVEs of requests
    std::uint32_t chosen = kNoEvent;
    std::uint32_t after = kNoEvent;  // the last RECEIVE before the work
  };

  const History& history_;
  MessageCosts& costs_;
  const Schedule& traced_;
  const std::uint32_t process_, first_, end_;
  std::map<std::uint32_t, std::uint32_t> answers_;  // the request, by the SEND that answers it
  std::set<std::uint32_t> is_answered_;
  std::unordered_map<std::uint32_t, std::uint32_t> asked_by_;  // the SEND that a RECEIVE answers
  std::vector<std::uint32_t> late_;                            // RECEIVEs of answers that are only noted
  std::vector<Choice> choices_;
  std::size_t after_other_ = 0;  // works that begin after another message than their request
  bool waits_ = false;           // it may wait for others with a request in hand, and take answers too late
  bool waits_in_work_ = false;   // there is a RECEIVE in a work
  RequestQueue queue_;
};

}  // namespace

RequestQueues find_request_queues(const History& history, const std::vector<bool>& settled) {
  RequestQueues found;
  if (!history.receive_calls_metered) return found;
  const std::vector<IntakeLimit> limits = find_intake_limits(history);
  const Target here = traced_target(history);
  const Target of_work = traced_without_messages(history);
  MessageCosts costs(history, of_work);
  costs.move(here.machine_of);
  std::optional<Schedule> traced;
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    if (settled[p] || limits[p].exists() || !may_have_queue(history, p)) continue;
    if (!traced) traced = Replay(history, here).run(Order::recorded, here.machine_of, true).schedule;
    if (auto queue = RequestQueueFinder(history, p, costs, *traced).run()) found.queues.push_back(std::move(*queue));
  }
  return found;
}

std::string reason_of(const RequestQueue& queue) {
  if (queue.deferred > 0)
    return fmt::format(
        "receive requests while they wait for other processes, {} times, and start them later: modelled as a queue",
        queue.deferred);
  return fmt::format("pick from a queue of pending requests, {} times not the latest: modelled as a queue", queue.held);
}

}  // namespace dpm
