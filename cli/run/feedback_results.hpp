// Schedulers beside each other, as tables and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/run/feedback.hpp"

namespace dpm::cli {

std::string feedback_text(const FeedbackStudy& study, int width);
nlohmann::ordered_json feedback_json(const FeedbackStudy& study);

}  // namespace dpm::cli
