// Errors to plant in a prediction, on purpose, to show that a claim can fail (docs/validation.md).
//
//   delays  the predictor assumes delays that are 20 % longer than they are
//   cpu     the CPU time of the busiest process counts half
//   order   the other order of messages elsewhere is ignored: every RECEIVE waits for the message of the trace
#pragma once

#include <string>
#include <vector>

#include "analysis/prediction/prediction.hpp"

namespace dpm::validation {

inline const std::vector<std::string> kPlants = {"delays", "cpu", "order"};

// Plants it in what is known of a run; an empty name plants nothing.
void plant_error(const std::string& name, History& history);
// Plants it in how the run is predicted.
PredictOptions with_error(const std::string& name, PredictOptions options);
Order with_error(const std::string& name, Order order);

}  // namespace dpm::validation
