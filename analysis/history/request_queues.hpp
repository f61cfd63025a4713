// Servers that take all requests that have come, and choose themselves which is next: urgent ones first, or in an order of
// clients. They do one piece of work after the other, each for one request:
//
//   server   R a  ══work══ S a   R b  R c  ══work══ S c  ══work══ S b      b and c had come; c was urgent
//
// In arrival order the work would follow the last message received: what answers c would be done when c comes, and what
// answers b together with it. In a replay with a queue, requests are received when they come and their work is done in the
// order of the queue there. A piece may wait for messages itself, as a scheduler waits for its worker, or a front end for the
// answers of its stores; where it would take any message, it takes requests meanwhile, and answers that it no longer needs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm {

struct RequestQueue {
  // Some requests take a unit, and wait until one is left; others give one (analysis/behaviour/semaphore_finder.hpp).
  struct Semaphore {
    std::int64_t units = 0;                          // at the beginning
    std::unordered_set<std::uint32_t> takes, gives;  // RECEIVEs
    std::size_t waited = 0;                          // takes that waited
    std::unordered_set<std::uint32_t> last_gives;    // SENDs that the trace ends before
  };
  struct Work {
    std::uint32_t rank_class = 0;
    std::vector<std::uint32_t> events;  // in order; empty: the message is only noted
  };
  std::uint32_t process = 0;
  std::map<std::uint32_t, Work> work_of;  // by the RECEIVE of the request
  std::vector<std::vector<bool>>
      before;                    // [a][b]: requests of class a are before those of class b; others as they come
  bool takes_all_first = false;  // it receives what has come before it chooses
  std::unordered_set<std::uint32_t>
      cpu_of_request;    // events whose CPU time is that of the request received before them
  std::size_t held = 0;  // requests that others overtook, or that waited for one
  std::size_t deferred =
      0;  // works that begin after another message than their request, because the process waits in them
  std::optional<Semaphore> semaphore;

  // Whether the work for a request may begin after another message.
  bool defers() const { return deferred > 0 || semaphore; }
};

struct RequestQueues {
  std::vector<RequestQueue> queues;  // by increasing process

  bool empty() const { return queues.empty(); }
  const RequestQueue* of(std::uint32_t process) const {
    const auto found = std::find_if(queues.begin(), queues.end(),
                                    [process](const RequestQueue& queue) { return queue.process == process; });
    return found == queues.end() ? nullptr : &*found;
  }
};

// Where the processes with queues are in a replay.
class QueuedWork {
 public:
  QueuedWork(const History& history, const RequestQueues& rules);

  bool empty() const { return states_.empty(); }
  void begin();

  bool governs(std::uint32_t p) const { return !states_.empty() && states_.contains(p); }
  bool is_request(std::uint32_t p, std::uint32_t receive) const {
    return states_.at(p).rule->work_of.contains(receive);
  }
  // Whether the CPU time before `event` is spent when the request before it is received.
  bool is_cpu_of_request(std::uint32_t p, std::uint32_t event) const {
    return governs(p) && states_.at(p).rule->cpu_of_request.contains(event);
  }

  // Whether this SEND gives a unit to process `p`, which has it from now on.
  bool gives_last(std::uint32_t p, std::uint32_t send) {
    if (!governs(p) || !states_.at(p).rule->semaphore) return false;
    State& state = states_.at(p);
    if (!state.rule->semaphore->last_gives.contains(send)) return false;
    ++state.units;
    return true;
  }

  // What process `p` does after `event`.
  struct Next {
    enum class Kind : std::uint8_t { as_traced, event, stand, receive_or_choose };
    Kind kind = Kind::as_traced;
    std::uint32_t event = kNoEvent;  // stand: a RECEIVE where it stood before
  };
  Next after(std::uint32_t p, std::uint32_t event);
  // The first event of the work that is next, or kNoEvent if nothing is held.
  std::uint32_t choose(std::uint32_t p);

 private:
  struct State {
    const RequestQueue* rule = nullptr;
    std::vector<std::uint32_t> held;                   // RECEIVEs of requests, as they came
    const std::vector<std::uint32_t>* work = nullptr;  // being done
    std::size_t at = 0;
    std::unordered_set<std::uint32_t> early;  // RECEIVEs of works that have not come to them
    std::size_t left = 0;                     // events before its END
    std::int64_t units = 0;                   // of a semaphore

    bool is_take(std::uint32_t request) const { return rule->semaphore && rule->semaphore->takes.contains(request); }
    bool is_give(std::uint32_t request) const { return rule->semaphore && rule->semaphore->gives.contains(request); }
  };

  Next none_left(State& state, std::uint32_t p) const;

  const History& history_;
  std::unordered_map<std::uint32_t, State> states_;  // by process
};

}  // namespace dpm
