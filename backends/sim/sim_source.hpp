// DEMOS/MP, simulated: runs a Scenario in SimGrid and pushes what its meters see.
//
// A process can have one SimGrid engine. run() forks a child that has it, and turns the frames that the child writes into
// calls of the sink. So any number of sources can run, one after another or in several threads, and filtering runs in
// parallel with simulating. If a program of the scenario crashes, the child crashes, and run() returns an Error that
// names the program.
//
// Programs run in the child, so the caller does not see what they write into captured variables. It sees the events and
// truth().
//
// A run ends when every process that is not a service has ended, or when nothing can happen any more, or at the
// scenario's limits; the truth says which. Only a failure of a program or of the simulation is an Error. Events
// observed until then are delivered, and on_end() is called whenever on_begin() was.
#pragma once

#include "backends/sim/sim_truth.hpp"
#include "model/event_source.hpp"
#include "model/scenario.hpp"

namespace dpm {

class SimSource : public EventSource {
 public:
  explicit SimSource(Scenario scenario);

  Result<void> run(EventSink& sink) override;

  // After run(). If the run failed: the truth until then.
  const SimTruth& truth() const { return truth_; }

 private:
  Scenario scenario_;
  SimTruth truth_;
};

}  // namespace dpm
