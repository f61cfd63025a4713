#include "cli/run/requests.hpp"

#include <nlohmann/json.hpp>

#include "cli/input/trace_input.hpp"
#include "cli/results/causality_results.hpp"
#include "cli/results/parallelism_results.hpp"
#include "cli/results/prediction_results.hpp"
#include "cli/results/queues_results.hpp"
#include "cli/results/statistics_results.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

Result<Json> answer_statistics(const std::string& trace) {
  StatisticsAnalysis analysis;
  const auto input = read_trace(trace, {&analysis});
  if (!input) return input.error();
  return statistics_json(analysis.result(), input->info, input->ledger);
}

Result<Json> answer_queues(const std::string& trace) {
  QueueAnalysis analysis;
  const auto input = read_trace(trace, {&analysis});
  if (!input) return input.error();
  return queues_json(analysis.result(), input->info, input->ledger);
}

Result<Json> answer_parallelism(const AnalysisRequest& request, const History& history) {
  const auto method = method_from(request.prediction);
  if (!method) return method.error();
  const Target target = traced_target(history);
  const auto parallelism = measure_parallelism(history, target, *method);
  if (!parallelism) return parallelism.error();
  const auto schedule = contended_schedule(history, target);
  if (!schedule) return schedule.error();
  Json document = parallelism_json(*parallelism);
  document["critical_path"] = critical_path_json(critical_path(history, target, *schedule), history.info);
  return document;
}

Result<Json> answer_prediction(const AnalysisRequest& request, const ScenarioFile& file, const Overrides& overrides,
                               const History& history) {
  const auto method = method_from(request.prediction);
  const auto order = order_from(request.prediction);
  if (!method) return method.error();
  if (!order) return order.error();
  Json document = Json::array();
  for (const auto& name : request.placements.empty() ? file.placement_names : request.placements) {
    Overrides there = overrides;
    there.placement = name;
    const auto scenario = instantiate(file, there);
    if (!scenario) return scenario.error();
    auto target = resolve(history, placement_of(*scenario));
    if (!target) return target.error();
    target->target.placement = name;
    const auto prediction = predict(history, target->target, {.order = *order, .method = *method});
    if (!prediction) return prediction.error();
    document.push_back(prediction_json(*prediction, history.info));
  }
  return document;
}

}  // namespace

Result<SharingMethod> method_from(const PredictionChoice& choice) {
  const auto method = sharing_method_from_name(choice.method);
  if (!method) return Error{"no method '" + choice.method + "' (there are: replay, thesis1984)"};
  return *method;
}

Result<std::optional<Order>> order_from(const PredictionChoice& choice) {
  if (choice.method == "thesis1984") return std::optional(Order::recorded);  // Appendix A knows no other
  const auto order = order_from_name(choice.order);
  if (!order && choice.order != "auto")
    return Error{"no order '" + choice.order + "' (there are: auto, recorded, arrival, role)"};
  return order;
}

AnalysisRequest parallelism_request(const ScenarioFile& file) {
  for (const auto& request : file.analyses)
    if (request.kind == AnalysisKind::parallelism) return request;
  return {.kind = AnalysisKind::parallelism, .name = "parallelism"};
}

Result<CausalityOptions> causality_options(const AnalysisRequest& request, const Scenario& scenario) {
  const auto requestors = members_of(scenario, request.requestors);
  if (!requestors) return requestors.error();
  const auto systems = members_of(scenario, request.systems);
  if (!systems) return systems.error();
  return CausalityOptions{.roles = {.requestors = *requestors, .systems = *systems}};
}

Result<CausalityOptions> causality_options(const ScenarioFile& file, const Scenario& scenario) {
  for (const auto& request : file.analyses)
    if (request.kind == AnalysisKind::causality) return causality_options(request, scenario);
  return CausalityOptions{};
}

Result<Computation> computation_of(const Scenario& scenario, const std::vector<std::string>& names,
                                   bool external_time) {
  Computation computation{.external_time = external_time};
  if (names.empty()) return computation;
  auto members = members_of(scenario, names);
  if (!members) return members.error();
  computation.only = std::move(*members);
  return computation;
}

Result<void> check_requests(const ScenarioFile& file, const Scenario& scenario) {
  const auto check = [&](const std::string& what, const PredictionChoice& choice,
                         const std::vector<std::string>& processes) -> Result<void> {
    const auto in_file = [&](const Error& error) {
      return Error{file.path.string() + ": " + what + ": " + error.what};
    };
    if (const auto method = method_from(choice); !method) return in_file(method.error());
    if (const auto order = order_from(choice); !order) return in_file(order.error());
    if (const auto members = computation_of(scenario, processes, false); !members) return in_file(members.error());
    return {};
  };
  for (const auto& request : file.analyses)
    if (auto done = check("analysis '" + request.name + "'", request.prediction, request.processes); !done) return done;
  for (const auto& matrix : file.predictions)
    if (auto done = check("predictions '" + matrix.name + "'", matrix.prediction, matrix.processes); !done) return done;
  return {};
}

Result<Json> answer(const AnalysisRequest& request, const ScenarioFile& file, const Overrides& overrides,
                    const std::string& trace_directory) {
  if (request.kind == AnalysisKind::statistics) return answer_statistics(trace_directory);
  if (request.kind == AnalysisKind::queues) return answer_queues(trace_directory);

  const auto scenario = instantiate(file, overrides);
  if (!scenario) return scenario.error();
  const auto computation = computation_of(*scenario, request.processes, request.external_time);
  if (!computation) return computation.error();
  HistoryBuilder builder(*computation);
  const auto input = read_trace(trace_directory, {&builder});
  if (!input) return input.error();
  const auto history = builder.take();
  if (!history) return history.error();
  if (request.kind == AnalysisKind::parallelism) return answer_parallelism(request, *history);
  if (request.kind == AnalysisKind::prediction) return answer_prediction(request, file, overrides, *history);
  const auto options = causality_options(request, *scenario);
  if (!options) return options.error();
  const auto causality = find_causality(*history, *options);
  if (!causality) return causality.error();
  return causality_json(*causality, input->info, input->ledger);
}

}  // namespace dpm::cli
