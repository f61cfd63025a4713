// What a dispatcher does with its workers' messages: the segments of its history that begin with one.
//
//   nothing  it only notes the result.
//   answer   it sends one message, to the worker whose message it took: the next piece goes to the free worker.
//   restart  all that was given out has come back (a synchronisation point). What it sends now goes to the workers in
//            its own order, so that the piece for the first worker stays the first worker's, whichever came last.
//   other    it sends to other workers while results are still out.
//
// Whether results are still out is counted at the workers: a message is answered by as many messages as its receiver
// sends back before it hears from the dispatcher again, so data that is only given out (a matrix) asks for nothing. A
// message that a worker sends before it is told anything (that it is ready) is a result, too. If a dispatcher answers
// the sender at every such point, too, it has no synchronisation points: then these are answers like the others.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"

namespace dpm {

struct Handout {
  enum class Kind : std::uint8_t { nothing, answer, restart, other };
  std::uint32_t receive = kNoEvent;  // its first event
  Kind kind = Kind::nothing;
};

// In the order of the trace: one for each RECEIVE of `dispatcher` from a worker.
std::vector<Handout> handouts_of(const History& history, ProcessId dispatcher,
                                 const std::function<bool(std::uint32_t)>& is_worker);
// Those of a dispatcher, or of a process that counts: what it does after each message that it counts. Others have none.
std::vector<Handout> handouts_of(const History& history, const Roles& roles, std::uint32_t process);

}  // namespace dpm
