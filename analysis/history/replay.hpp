// Performs a history again on other machines: processor sharing on every machine, message delays by the delay model.
//
// The replay is exact and event-driven. A machine of c cores serves its n runnable processes at equal rates, none
// faster than one core; its virtual time V advances by dt * min(1, c / n), so a process that needs w has finished when
// V has grown by w, whatever other processes come and go. The next thing to happen is the least of all machines' next
// completions and all waiting processes' next arrivals. O(log(processes + machines)) per event.
//
// Which message a RECEIVE takes decides between a right and a wrong prediction:
//   recorded  the message it took in the trace.
//   arrival   the message that arrived first among those the process waits for. The work that followed that message
//             in the trace (its segment: from its RECEIVE to just before the next one, and the set that the process
//             then waits for) moves with it. Exact for a process whose reaction depends only on the message, and for one that
//             limits what it has in progress: its limit gives the set it waits for (intake_limit.hpp).
//   role      the same, and for a dispatcher and its workers: the dispatcher performs its k-th segment on the k-th message
//             from any worker, an answer to the sender goes to the actual sender (except where it restarts,
//             handouts.hpp), and a worker performs the task of the message it got, with all it asks others meanwhile
//             (tasks.hpp). A process that counts messages performs its k-th segment on the k-th of them. And what a
//             process sends in turn, or to the least busy, goes to whose turn it is there (destinations.hpp).
//
// Where the target has copies of a server, each client's requests go to them in turn (replica_choice.hpp). Recorded
// order is then not possible: the trace has no copies.
//
// Where the delay model has the cost of waking a process (WakeUp), a message whose receiver sleeps on another, idle
// machine arrives that much later, and both ends have the CPU time to spend next. A receiver that has been woken
// already costs nothing more.
//
// Messages from processes outside the computation have no known arrival. With ExternalArcs (figure 5.3) they arrive
// `elapsed` after the SEND they answer; otherwise such a RECEIVE never waits, and in arrival order it happens when
// everything that the process received before it in the trace has been received.
//
// A `wait` is over when its `wake` has happened, in every order: it belongs to the event before it. Neither costs
// anything, and the waiter continues at that instant.
//
// Arrivals are whole nanoseconds, max(whole_ns(now) + delivery, last arrival of the pair); ties go to the lower sender,
// then to the message it sent first: the same rule as the simulator's, so workloads of constant times give the same
// result. At one instant, computations end before messages arrive.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/history/destinations.hpp"
#include "analysis/history/gathers.hpp"
#include "analysis/history/history.hpp"
#include "analysis/history/request_queues.hpp"
#include "analysis/history/sleeps.hpp"
#include "analysis/history/target.hpp"
#include "analysis/history/timers.hpp"

namespace dpm {

enum class Order : std::uint8_t { recorded, arrival, role };

// Which processes hand out work to which, which count messages, and which choose destinations, for
// Order::role.
struct Roles {
  static constexpr std::uint32_t kNone = 0xffffffffu;
  std::vector<std::uint32_t>
      dispatcher_of;  // by process: its dispatcher if it is a worker, itself if it is a dispatcher
  // By process, sorted: senders whose messages it counts. What it did on the k-th message of any of them, it does on
  // the k-th message whatever its sender: for example when half of a round's neighbours have reported, or the last of
  // four answers is in.
  std::vector<std::vector<std::uint32_t>> counts_from;
  // By process: it takes its messages in the order of the trace, whatever comes first (not in recorded order, where all do).
  // Empty: none does.
  std::vector<bool> keeps_order;
  std::shared_ptr<const DestinationChoices> destinations;  // that processes choose by what they remember; null: none
  std::shared_ptr<const Timers> timers;                    // in every order; null: none
  std::shared_ptr<const Sleeps> sleeps;                    // in every order; null: none
  std::shared_ptr<const RequestQueues> queues;             // of requests; null: none
  std::shared_ptr<const Gathers> gathers;                  // of answers; null: none

  bool is_worker(std::uint32_t process) const {
    return process < dispatcher_of.size() && dispatcher_of[process] != kNone && dispatcher_of[process] != process;
  }
  bool is_dispatcher(std::uint32_t process) const {
    return process < dispatcher_of.size() && dispatcher_of[process] == process;
  }
  const RequestQueue* queue_of(std::uint32_t process) const {
    return queues == nullptr ? nullptr : queues->of(process);
  }
  bool has_queue(std::uint32_t process) const { return queue_of(process) != nullptr; }
  bool keeps(std::uint32_t process) const { return process < keeps_order.size() && keeps_order[process]; }
  bool counts(std::uint32_t process) const { return process < counts_from.size() && !counts_from[process].empty(); }
};

// When everything happened, by event; for the space-time diagram and the critical path.
struct Schedule {
  Schedule() = default;
  // Nothing is performed yet.
  explicit Schedule(std::size_t events)
      : finished_ns(events, -1),
        performed_by(events, Roles::kNone),
        previous(events, kNoEvent),
        cause(events, kNoEvent),
        waited(events, 0) {}

  std::vector<double> finished_ns;          // negative: not performed
  std::vector<std::uint32_t> performed_by;  // the process; in role order not always that of the trace
  std::vector<std::uint32_t> previous;      // the event that this process performed before, or kNoEvent
  std::vector<std::uint32_t>
      cause;  // RECEIVE: the SEND it took; start: its CREATEPROCESS; wait: its wake; kNoEvent if outside
  std::vector<std::uint8_t> waited;  // 1: the process was ready before its cause had arrived
};

struct ReplayResult {
  double elapsed_ns = 0;    // until the last process did its last work
  std::int64_t cpu_ns = 0;  // T on the target
  std::uint64_t forced_receives =
      0;  // arrival, role: no process could continue, so a RECEIVE took a message it did not wait for, or a wait ended
  std::uint64_t left_out = 0;  // events of calls that were repeated in the trace and need not be here (retries.hpp)
  std::uint64_t not_performed = 0;  // events that could not be reached: the order is impossible
  std::optional<Schedule> schedule;
};

// Keeps its memory between runs: a search replays thousands of placements.
class Replay {
 public:
  // `history` must outlive it. `target` gives machines and delays; run() the places of the processes.
  Replay(const History& history, const Target& target, Roles roles = {});
  ~Replay();
  Replay(Replay&&) noexcept;

  ReplayResult run(Order order, const std::vector<MachineId>& machine_of, bool keep_schedule = false);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dpm
