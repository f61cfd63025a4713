// Steps one and two of P by several workers. Each has the events of its processes, and sends them ready for a pass, piece after piece, to the
// workers that pass: the first through step one, the second through step two, or one through both. These see the events of all processes, but
// keep only those of processes that wait.
//
// So no process waits for a worker of another. If each worker passed through its own processes only, it would have to hear from the others
// after about 13 events (of 24 processes in two parts), which takes it longer than to pass through 50.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "analysis/parallelism/parallelism.hpp"
#include "answers/parallel/ranks/ranks.hpp"

namespace dpm {

class DividedPasses : public StepWorkers {
 public:
  // `alone` makes the error of a trace that one worker must analyse alone, and notes why.
  DividedPasses(Ranks& ranks, std::function<Error(const std::string&)> alone)
      : ranks_(ranks), alone_(std::move(alone)) {}

  Result<PassedTogether> pass(const HistoryShare& share, MessageCosts& costs) override;

 private:
  struct Found;

  void exchange_pieces(const HistoryShare& share, MessageCosts& costs, Found& found);
  std::uint64_t agree_on_pieces(std::uint64_t own_events, Found& found);

  Ranks& ranks_;
  std::function<Error(const std::string&)> alone_;
};

}  // namespace dpm
