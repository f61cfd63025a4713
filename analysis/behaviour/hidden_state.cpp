#include "analysis/behaviour/hidden_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "analysis/behaviour/requests.hpp"
#include "analysis/history/message_costs.hpp"
#include "analysis/history/target.hpp"

namespace dpm {
namespace {

// Fitted on the service systems 1 to 400 (validation/random-systems): nearly nine tenths of the intervals of systems with
// batches or refusals then contain the truth.
// They are not symmetric. A batch goes in a replay when its last request has come, never earlier and never in parts, so that a
// run is rather slower than predicted. Where requests are refused, an answer may wait in a replay for a message that came
// before it in the trace, and what was refused stays refused: a run is rather faster.
constexpr HiddenState::Error kBatchError{.15, .1};
constexpr HiddenState::Error kRefusalError{.05, .25};
constexpr HiddenState::Error kIdleTimerError{.1, .1};

constexpr std::size_t kInstancesAtLeast = 4;
constexpr std::int64_t kWork_ns = 1000;
constexpr std::size_t kMostly = 9;  // to one

// Where CPU times are those of work alone.
Target without_messages(const History& history) {
  Target target = traced_target(history);
  target.delays = {};
  return target;
}

class HiddenStateFinder {
 public:
  HiddenStateFinder(const History& history, const Roles& roles, const std::vector<TimersOfProgram>& idle)
      : history_(history), roles_(roles), here_(without_messages(history)), costs_(history, here_) {
    costs_.move(here_.machine_of);
    for (const TimersOfProgram& timers : idle) idle_.insert(timers.processes.begin(), timers.processes.end());
    found_.idle_timers = !idle.empty();
  }

  HiddenState run() {
    for (std::uint32_t p = 0; p < history_.process_count(); ++p) {
      if (roles_.is_worker(p) || roles_.is_dispatcher(p)) continue;
      const std::vector<Request> requests = find_requests(history_, p);
      std::set<std::uint32_t> clients;
      for (const Request& request : requests) clients.insert(history_.events[request.receive].peer);
      if (roles_.has_queue(p)) {  // which request is next follows a rule; how it reacts to it need not
        if (clients.size() > 1) note(HiddenState::Kind::memory, p, reactions_unlike_the_first(p, requests));
        continue;
      }
      const Together together = answers_together(p, requests, Answers::first_of_each);
      note(HiddenState::Kind::full_batches, p, clients.size() < 2 || together.varies ? 0 : together.times);
      if (roles_.counts(p)) continue;
      note(HiddenState::Kind::refusals, p, answers_without_work(p, requests));
      if (clients.size() < 2) continue;
      note(HiddenState::Kind::memory, p, reactions_unlike_the_first(p, requests));
      if (note(HiddenState::Kind::batches, p, together.varies ? together.times : 0)) continue;
      const Together with_lists = answers_together(p, requests, Answers::all);
      note(HiddenState::Kind::lists, p, with_lists.varies ? with_lists.times : 0);
    }
    return std::move(found_);
  }

 private:
  // Whether that was often enough.
  bool note(HiddenState::Kind kind, std::uint32_t process, std::size_t times) {
    if (times < kInstancesAtLeast) return false;
    found_.entries.push_back({kind, process, times});
    return true;
  }

  std::size_t reactions_unlike_the_first(std::uint32_t p, const std::vector<Request>& requests) const {
    const RequestQueue* queue = roles_.queue_of(p);
    std::size_t others = 0;
    for (const auto& [kind, alike] : by_kind(history_, requests)) {
      const auto first = reaction(history_, alike.front(), queue);
      others += static_cast<std::size_t>(std::count_if(alike.begin(), alike.end(), [&](const Request& request) {
        return reaction(history_, request, queue) != first;
      }));
    }
    return others;
  }

  // How often it answers several clients of one program between two RECEIVEs. Always the same number is a count, unless the
  // process also goes on when nothing comes.
  struct Together {
    std::size_t times = 0;
    bool varies = false;
  };
  // What a client is sent after the first answer it did not ask for, such as what others write to a list that it is on.
  enum class Answers : std::uint8_t { first_of_each, all };
  Together answers_together(std::uint32_t p, const std::vector<Request>& requests, Answers which) const {
    std::set<std::uint32_t> answers;
    for (const auto& [receive, all] : requests) {
      const std::size_t most = which == Answers::all ? all.size() : 1;
      answers.insert(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(most, all.size())));
    }
    std::map<std::string, std::map<std::size_t, std::size_t>> times_by_size;  // by program
    std::map<std::string, std::set<std::uint32_t>> answered;
    for (std::uint32_t e = history_.first_event[p]; e < history_.first_event[p + 1]; ++e) {
      const HistoryEvent& event = history_.events[e];
      if (event.kind() == HistoryKind::receive) {
        for (const auto& [program, clients] : answered) ++times_by_size[program][clients.size()];
        answered.clear();
      }
      if (answers.contains(e)) answered[history_.info.processes[event.peer].program].insert(event.peer);
    }
    Together together;
    for (const auto& [program, times] : times_by_size) {
      std::size_t several = 0;
      for (const auto& [size, count] : times) several += size > 1 ? count : 0;
      together.times += several;
      together.varies |= several > 0 && (times.size() > 1 || idle_.contains(p));
    }
    return together;
  }

  // Answers of one size, to one program, which follow the answer before without work, beside answers of another
  // size that follow work.
  std::size_t answers_without_work(std::uint32_t p, const std::vector<Request>& requests) {
    struct SizeAnswers {
      std::size_t with_work = 0, without = 0;
    };
    std::map<std::string, std::map<std::uint32_t, SizeAnswers>> by_program;
    std::set<std::uint32_t> clients;
    for (const Request& request : requests) clients.insert(history_.events[request.receive].peer);
    std::int64_t work_ns = 0;
    for (std::uint32_t e = history_.first_event[p]; e < history_.first_event[p + 1]; ++e) {
      const HistoryEvent& event = history_.events[e];
      work_ns += costs_.cpu(event, p).before_ns;
      if (event.kind() != HistoryKind::send || !clients.contains(event.peer)) continue;
      SizeAnswers& answers = by_program[history_.info.processes[event.peer].program][event.length_bytes];
      ++(work_ns > kWork_ns ? answers.with_work : answers.without);
      work_ns = 0;
    }
    std::size_t refused = 0;
    for (const auto& [program, by_size] : by_program) {
      const bool works = std::any_of(by_size.begin(), by_size.end(), [](const auto& entry) {
        return entry.second.with_work >= kInstancesAtLeast && entry.second.with_work > entry.second.without;
      });
      for (const auto& [bytes, answers] : by_size)
        if (works && answers.without > kMostly * answers.with_work) refused += answers.without;
    }
    return refused;
  }

  const History& history_;
  const Roles& roles_;
  const Target here_;
  MessageCosts costs_;
  std::set<std::uint32_t> idle_;
  HiddenState found_;
};

}  // namespace

bool HiddenState::has(Kind kind) const {
  return std::any_of(entries.begin(), entries.end(), [kind](const Entry& entry) { return entry.kind == kind; });
}

HiddenState::Error HiddenState::expected_error() const {
  Error most;
  const auto add = [&most](bool is_open, const Error& error) {
    if (is_open) most = {std::max(most.below, error.below), std::max(most.above, error.above)};
  };
  add(has(Kind::batches) || has(Kind::lists), kBatchError);
  add(has(Kind::refusals), kRefusalError);
  add(idle_timers, kIdleTimerError);
  return most;
}

HiddenState find_hidden_state(const History& history, const Roles& roles, const std::vector<TimersOfProgram>& idle) {
  return HiddenStateFinder(history, roles, idle).run();
}

std::string_view name_of(HiddenState::Kind kind) {
  switch (kind) {
    case HiddenState::Kind::memory:
      return "memory";
    case HiddenState::Kind::batches:
      return "batches";
    case HiddenState::Kind::lists:
      return "lists";
    case HiddenState::Kind::full_batches:
      return "full batches";
    case HiddenState::Kind::refusals:
      return "refusals";
  }
  return "";
}

std::string reason_of(const HiddenState::Entry& entry) {
  switch (entry.kind) {
    case HiddenState::Kind::memory:
      return fmt::format(
          "react differently to similar requests, {} times: to which ones on the new placement is unknown",
          entry.times);
    case HiddenState::Kind::batches:
      return fmt::format("answer several requests at once, {} times: the batch sizes on the new placement are unknown",
                         entry.times);
    case HiddenState::Kind::lists:
      return fmt::format("send to a list of varying length, {} times: its members on the new placement are unknown",
                         entry.times);
    case HiddenState::Kind::full_batches:
      return fmt::format(
          "answer requests in batches of one size, {} times: whether a batch would wait longer to fill is unknown",
          entry.times);
    case HiddenState::Kind::refusals:
      return fmt::format(
          "answer without work, {} times, as if refusing: how many requests the new placement refuses is unknown",
          entry.times);
  }
  return "";
}

}  // namespace dpm
