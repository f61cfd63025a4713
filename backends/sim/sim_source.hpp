// DEMOS/MP, simulated: runs a Scenario in SimGrid and pushes what its meters see.
//
// run() forks a child that holds the one SimGrid engine a process can have, and turns the frames the child writes into
// calls of the sink, so that it can be called in any number of sources, one after another or in several threads, and
// filtering runs in parallel with simulating. A program of the scenario that crashes takes the child with it and
// becomes an Error that names it.
//
// Because programs run in a child, what a program writes into captured variables is not seen by the caller: look at the
// events and at truth().
//
// A run ends when every process that is not a service has ended, or when nothing can happen any more, or at the
// scenario's limits; the truth says which. Only a failure of a program or of the simulation is an Error. Events
// observed until then are delivered, and on_end() is called, in every case in which on_begin() was.
#pragma once

#include "backends/sim/sim_truth.hpp"
#include "model/event_source.hpp"
#include "model/scenario.hpp"

namespace dpm {

class SimSource : public EventSource {
 public:
  explicit SimSource(Scenario scenario);

  Result<void> run(EventSink& sink) override;

  // After run(), also after a failed one as far as it came.
  const SimTruth& truth() const { return truth_; }

 private:
  Scenario scenario_;
  SimTruth truth_;
};

}  // namespace dpm
