#include "answers/scenario/requests.hpp"

#include <fmt/format.h>

namespace dpm::cli {

Result<SharingMethod> method_from(const PredictionChoice& choice) {
  const auto method = sharing_method_from_name(choice.method);
  if (!method) return Error{fmt::format("no method '{}' (there are: replay, thesis1984)", choice.method)};
  return *method;
}

Result<std::optional<Order>> order_from(const PredictionChoice& choice) {
  if (choice.method == "thesis1984") return std::optional(Order::recorded);  // Appendix A has no other order
  const auto order = order_from_name(choice.order);
  if (!order && choice.order != "auto")
    return Error{fmt::format("no order '{}' (there are: auto, recorded, arrival, role)", choice.order)};
  return order;
}

AnalysisRequest parallelism_request(const ScenarioFile& file) {
  for (const auto& request : file.analyses)
    if (request.kind == "parallelism") return request;
  return {.kind = "parallelism", .name = "parallelism"};
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
    if (request.kind == "causality") return causality_options(request, scenario);
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
      return Error{fmt::format("{}: {}: {}", file.path.string(), what, error.what)};
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

}  // namespace dpm::cli
