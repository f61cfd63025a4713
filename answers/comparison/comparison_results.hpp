// A comparison as tables, as JSON and as a page, with the same numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/difference/comparison.hpp"
#include "answers/comparison/run_reader.hpp"
#include "view/report.hpp"

namespace dpm::cli {

struct ComparedRuns {
  const ComparedRun& a;
  const ComparedRun& b;
  const Comparison& comparison;
};

std::string comparison_text(const ComparedRuns& runs, int width, bool all);
nlohmann::ordered_json comparison_json(const ComparedRuns& runs);
view::ReportInput comparison_report(const ComparedRuns& runs);

}  // namespace dpm::cli
