// What a scenario gets that asks for an analysis ("analyses": ["queues"]).
//
// The folder analysis/NAME/answer has the answer of the analysis NAME. The trace is read once for all of them: what most need
// is in the findings, and an answer that needs more sees the events itself.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/findings/findings.hpp"
#include "scenarios/scenario_file.hpp"

namespace dpm::cli {

struct Question {
  const AnalysisRequest& request;
  const ScenarioFile& file;
  const SystemTemplate& system;  // what was run, to be placed elsewhere
  const Scenario& scenario;      // as it was run
  Computation computation;       // whom the request is about
};

class Answer {
 public:
  virtual ~Answer() = default;

  // Sees the events when the trace is read.
  virtual EventSink* sink() { return nullptr; }

  // Whether found.histories has to have the question's computation.
  virtual bool needs_history() const { return true; }

  // What stands in results.json under the request's name.
  virtual Result<nlohmann::ordered_json> answer(const Findings& found, const Question& question) = 0;
};

// `analysis` is one of analysis_names().
std::unique_ptr<Answer> make_answer(const std::string& analysis);

}  // namespace dpm::cli
