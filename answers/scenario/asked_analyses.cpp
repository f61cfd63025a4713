#include "answers/scenario/asked_analyses.hpp"

#include "answers/scenario/requests.hpp"

namespace dpm::cli {

Result<AskedAnalyses> ask(const ScenarioFile& file, const SystemTemplate& system, const Scenario& scenario) {
  AskedAnalyses asked;
  for (const auto& request : file.analyses) {
    auto computation = computation_of(scenario, request.processes, request.external_time);
    if (!computation) return computation.error();
    auto answer = make_answer(request.kind);
    const bool is_chosen = !request.processes.empty() || request.external_time;
    computation->all_processes = answer->is_about_the_run() && !is_chosen;
    if (answer->needs_history()) asked.computations.push_back(*computation);
    if (answer->sink() != nullptr) asked.sinks.push_back(answer->sink());
    asked.all.push_back({{request, file, system, scenario, *std::move(computation)}, std::move(answer)});
  }
  return asked;
}

}  // namespace dpm::cli
