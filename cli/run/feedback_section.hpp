// Schedulers beside each other, as a section of the report: a plot by time and a table, and each journal.
#pragma once

#include "cli/run/feedback.hpp"
#include "view/report.hpp"

namespace dpm::cli {

view::Section feedback_section(const FeedbackStudy& study);

}  // namespace dpm::cli
