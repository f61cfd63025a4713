// The analyses that a scenario asks for. They exist from before the trace is read until they are answered.
#pragma once

#include <memory>
#include <vector>

#include "answers/scenario/answer.hpp"

namespace dpm::cli {

struct AskedAnalysis {
  Question question;
  std::unique_ptr<Answer> answer;
};

struct AskedAnalyses {
  std::vector<AskedAnalysis> all;
  // What they need from the single reading of the trace.
  std::vector<Computation> computations;
  std::vector<EventSink*> sinks;
};

// `scenario` is `system` as it is run. All three arguments must outlive the result.
Result<AskedAnalyses> ask(const ScenarioFile& file, const SystemTemplate& system, const Scenario& scenario);

}  // namespace dpm::cli
