#include "analysis/behaviour/hidden_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

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
constexpr std::uint64_t kShortLook_ns = 10'000;  // shorter waits only look for a message
constexpr std::size_t kMostly = 9;               // to one
constexpr double kBeyondChance = 4;              // standard deviations

class HiddenStateFinder {
 public:
  HiddenStateFinder(const History& history, const Roles& roles, const std::vector<TimersOfProgram>& idle)
      : history_(history), roles_(roles), here_(traced_without_messages(history)), costs_(history, here_) {
    costs_.move(here_.machine_of);
    for (const TimersOfProgram& timers : idle) idle_.insert(timers.processes.begin(), timers.processes.end());
    timed_ = idle_;
    if (roles.timers != nullptr)
      for (const TimersOfProgram& calls : roles.timers->of_calls)
        timed_.insert(calls.processes.begin(), calls.processes.end());
    found_.idle_timers = !idle.empty();
  }

  HiddenState run() {
    const std::map<std::uint32_t, std::size_t> given_up = waits_given_up();
    for (const auto& [p, times] : given_up) note(HiddenState::Kind::gives_up, p, times);
    if (roles_.sleeps != nullptr)
      for (const std::uint32_t p : roles_.sleeps->processes) note(HiddenState::Kind::polls, p, questions_repeated(p));
    for (std::uint32_t p = 0; p < history_.process_count(); ++p) {
      // Not of a process that looks what else has come before it takes the next from its queue, nor of a real program: one that poll()
      // tells of messages may look once too often.
      if (history_.info.properties.scripted && !roles_.has_queue(p))
        note(HiddenState::Kind::looks, p, history_.looks_in_vain[p]);
      if (roles_.is_worker(p) || roles_.is_dispatcher(p)) continue;
      const std::vector<Request> requests = find_requests(history_, p);
      std::set<std::uint32_t> clients;
      for (const Request& request : requests) clients.insert(history_.events[request.receive].peer);
      if (roles_.has_queue(p)) {  // which request is next follows a rule; how it reacts to it need not
        if (clients.size() > 1) note_reactions(p, requests);
        continue;
      }
      const Together together = answers_together(p, requests, Answers::first_of_each);
      note(HiddenState::Kind::full_batches, p, clients.size() < 2 || together.varies ? 0 : together.times);
      if (roles_.counts(p)) continue;
      if (!given_up.contains(p)) note(HiddenState::Kind::drops, p, messages_without_work(p));
      note(HiddenState::Kind::refusals, p, answers_without_work(p, requests));
      if (clients.size() < 2) continue;
      note_reactions(p, requests);
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

  // By process, of waits that no timer explains. A real program that waits for any message may do so until the next of its own timers.
  std::map<std::uint32_t, std::size_t> waits_given_up() const {
    std::map<std::uint32_t, std::size_t> times;
    for (const UnmetWait& wait : history_.unmet_waits) {
      const std::uint32_t p = history_.owner_of(wait.event).value;
      const bool may_be_idle = wait.channel_set == 0 && !history_.info.properties.scripted;
      if (wait.since_call_ns >= kShortLook_ns && !may_be_idle && !timed_.contains(p)) ++times[p];
    }
    return times;
  }

  // Questions to one process, each after a sleep and an answer to the one before, if it is not always as many that follow each other.
  std::size_t questions_repeated(std::uint32_t p) const {
    std::map<std::size_t, std::size_t> runs;  // by how many times it asked again
    std::size_t run = 0, times = 0;
    for (std::uint32_t e = history_.first_event[p] + 1; e < history_.first_event[p + 1]; ++e) {
      const HistoryEvent &event = history_.events[e], &before = history_.events[e - 1];
      if (event.kind() != HistoryKind::send) continue;
      const bool again =
          before.kind() == HistoryKind::receive && before.peer == event.peer && roles_.sleeps->before_ns.contains(e);
      if (again) {
        ++run, ++times;
      } else {
        ++runs[std::exchange(run, 0)];
      }
    }
    ++runs[run];
    return runs.size() > 2 || (runs.size() == 2 && !runs.contains(0)) ? times : 0;
  }

  // Messages of a kind after which it does nothing, where others are followed by work; not answers that it gathers.
  std::size_t messages_without_work(std::uint32_t p) {
    struct Followed {
      std::size_t by_work = 0, by_nothing = 0;
      bool by_messages = false;
    };
    std::map<std::pair<std::string, std::uint32_t>, Followed> kinds;
    for (std::uint32_t e = history_.first_event[p]; e < history_.first_event[p + 1];) {
      const std::uint32_t receive = e;
      const HistoryEvent& begin = history_.events[receive];
      if (begin.kind() != HistoryKind::receive) {
        ++e;
        continue;
      }
      const AfterReceive after = after_receive(history_, costs_, p, receive);
      e = after.next;
      if (begin.peer == kNoPeer || (roles_.gathers != nullptr && roles_.gathers->of(receive))) continue;
      Followed& followed = kinds[{history_.info.processes[begin.peer].program, begin.length_bytes}];
      followed.by_messages |= after.sends;
      ++(after.works() ? followed.by_work : followed.by_nothing);
    }
    std::size_t times = 0;
    for (const auto& [kind, followed] : kinds)
      if (!followed.by_messages && followed.by_work >= kInstancesAtLeast) times += followed.by_nothing;
    return times;
  }

  // Draws, and a cache of many keys, react to each request by itself. A state that lasts has equal reactions follow each other.
  void note_reactions(std::uint32_t p, const std::vector<Request>& requests) {
    const RequestQueue* queue = roles_.queue_of(p);
    std::size_t unlike_the_first = 0;
    double changes = 0, by_chance = 0, variance = 0;
    for (const auto& [kind, alike] : by_kind(history_, requests)) {
      std::map<std::vector<std::string>, double> times;
      std::vector<std::string> first, last;
      for (std::size_t i = 0; i < alike.size(); ++i) {
        std::vector<std::string> now = reaction(history_, alike[i], queue);
        if (i == 0) first = last = now;
        unlike_the_first += now == first ? 0 : 1;
        changes += now == last ? 0 : 1;
        ++times[now];
        last = std::move(now);
      }
      const auto count = static_cast<double>(alike.size());
      double pairs_alike = 0;
      for (const auto& [of_this, n] : times) pairs_alike += n * (n - 1);
      const double unlike = 1 - pairs_alike / (count * (count - 1));
      by_chance += (count - 1) * unlike;
      variance += (count - 1) * unlike * (1 - unlike);
    }
    const bool lasts = by_chance - changes > kBeyondChance * std::sqrt(variance);
    note(lasts ? HiddenState::Kind::phases : HiddenState::Kind::memory, p, unlike_the_first);
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
  std::set<std::uint32_t> idle_, timed_;  // processes that wait with a timer: for any message; for any or an answer
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

bool is_unknown(HiddenState::Kind kind) {
  return kind == HiddenState::Kind::drops || kind == HiddenState::Kind::gives_up || kind == HiddenState::Kind::polls ||
         kind == HiddenState::Kind::looks || kind == HiddenState::Kind::phases;
}

HiddenState find_hidden_state(const History& history, const Roles& roles, const std::vector<TimersOfProgram>& idle) {
  return HiddenStateFinder(history, roles, idle).run();
}

std::string_view name_of(HiddenState::Kind kind) {
  switch (kind) {
    case HiddenState::Kind::memory:
      return "memory";
    case HiddenState::Kind::phases:
      return "phases";
    case HiddenState::Kind::batches:
      return "batches";
    case HiddenState::Kind::lists:
      return "lists";
    case HiddenState::Kind::full_batches:
      return "full batches";
    case HiddenState::Kind::refusals:
      return "refusals";
    case HiddenState::Kind::drops:
      return "drops";
    case HiddenState::Kind::gives_up:
      return "gives up";
    case HiddenState::Kind::polls:
      return "polls";
    case HiddenState::Kind::looks:
      return "looks";
  }
  return "";
}

std::string reason_of(const HiddenState::Entry& entry) {
  switch (entry.kind) {
    case HiddenState::Kind::memory:
      return fmt::format(
          "react differently to similar requests, {} times: to which ones on the new placement is unknown",
          entry.times);
    case HiddenState::Kind::phases:
      return fmt::format(
          "react differently to similar requests, {} times, for a while each time: how long on the new placement is "
          "unknown",
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
    case HiddenState::Kind::drops:
      return fmt::format(
          "do no work for some messages of a kind, {} times: for how many on the new placement is unknown",
          entry.times);
    case HiddenState::Kind::gives_up:
      return fmt::format("stop waiting after a time, {} times: what comes in time on the new placement is unknown",
                         entry.times);
    case HiddenState::Kind::polls:
      return fmt::format("ask again after a sleep, {} times: how often on the new placement is unknown", entry.times);
    case HiddenState::Kind::looks:
      return fmt::format(
          "look for a message between pieces of work, {} times without success: when they find one on the new "
          "placement is "
          "unknown",
          entry.times);
  }
  return "";
}

}  // namespace dpm
