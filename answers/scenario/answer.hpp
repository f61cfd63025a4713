// The answer to an analysis that a scenario asks for ("analyses": ["queues"]).
//
// The folder answers/scenario/NAME has the answer of the analysis NAME. The trace is read once for all answers: the findings
// have what most answers need, and an answer that needs more gets the events through its sink.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "answers/findings/findings.hpp"
#include "scenarios/scenario_file.hpp"

namespace dpm::cli {

struct Question {
  const AnalysisRequest& request;
  const ScenarioFile& file;
  const SystemTemplate& system;  // the system that was run, for other placements
  const Scenario& scenario;      // as it was run
  Computation computation;       // the processes that the request is about
};

class Answer {
 public:
  virtual ~Answer() = default;

  // Gets the events while the trace is read.
  virtual EventSink* sink() { return nullptr; }

  // Whether found.histories must contain the question's computation.
  virtual bool needs_history() const { return true; }
  // Whether it is about all processes unless the request names some, as an elapsed time is: a user waits for the run.
  virtual bool is_about_the_run() const { return false; }

  // The entry in results.json under the request's name.
  virtual Result<nlohmann::ordered_json> answer(const Findings& found, const Question& question) = 0;
};

// `analysis` is one of analysis_names().
std::unique_ptr<Answer> make_answer(const std::string& analysis);

}  // namespace dpm::cli
