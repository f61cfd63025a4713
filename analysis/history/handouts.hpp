// What a dispatcher does with its workers' messages: the segments of its history that begin with one.
//
//   nothing  it only notes the result.
//   answer   it sends one message to a worker, the one whose message it took: the next piece goes to whoever is free.
//   anew     all that was given out has come back (a synchronisation point). What it sends now goes to the workers in
//            an order of its own, so that the piece for the first worker is the first worker's whoever came last.
//   other    it sends to other workers while results are still out.
//
// Whether results are still out is counted at the workers: a message is answered by as many messages as its receiver
// sends back before it next hears of the dispatcher, so data that is only given out (a matrix) asks for nothing. What
// workers say before they are told anything (that they are there) is a result, too. A dispatcher that
// answers its sender at every such point, too, has no synchronisation points: then these are answers like the others.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm {

struct Handout {
  enum class Kind : std::uint8_t { nothing, answer, anew, other };
  std::uint32_t receive = kNoEvent;  // its first event
  Kind kind = Kind::nothing;
};

// In the order of the trace: one for each RECEIVE of `dispatcher` from a worker.
std::vector<Handout> handouts_of(const History& history, ProcessId dispatcher,
                                 const std::function<bool(std::uint32_t)>& is_worker);

}  // namespace dpm
