// Traces as they might have been if processes drew random numbers, counted or cached as they went along, instead of
// reacting to each message alone (interval.hpp).
//
// A unit is a process that takes its messages in another order than in the trace, or the workers of a dispatcher if
// they do other tasks. In an alternative, a coin decides for each unit whether it is of this kind. If it is, then from
// where the orders diverge
//   - its segments (the work after a RECEIVE up to the next) cost what other segments of their kind cost: as long, begun
//     over the same channels; drawn with replacement;
//   - the receivers of the messages it passed on are drawn again, in the proportions of the trace: a process that gets
//     more of them has more to do. Answers that a process waits for keep their receiver.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"
#include "model/random.hpp"

namespace dpm {

class Alternatives {
 public:
  // `schedule` is that of the prediction.
  Alternatives(const History& history, const Roles& roles, const Schedule& schedule);

  // No unit: every alternative is the trace.
  bool none() const { return units_.empty(); }

  // The trace with other CPU times: every unit is of one kind or the other.
  History draw(Random& random) const;

 private:
  // A RECEIVE and what follows up to the next; the CPU time before the next one waits belongs to the segment, too.
  struct Segment {
    std::uint32_t first = 0, last = 0;  // events whose CPU time is the segment's
  };
  struct Unit {
    std::vector<std::vector<Segment>> kinds;
    // By receiver of what is passed on: the segments that these messages begin.
    std::map<std::uint32_t, std::vector<Segment>> passed_on;
  };

  Segment segment_of(std::uint32_t process, std::uint32_t receive) const;
  void add_unit(const std::vector<std::uint32_t>& processes, const Schedule& schedule);
  bool is_answer(const HistoryEvent& send) const;

  const History& history_;
  const Roles& roles_;
  std::vector<std::vector<std::uint32_t>> performed_;  // by process: RECEIVEs in the order of the prediction
  std::vector<Unit> units_;
};

}  // namespace dpm
