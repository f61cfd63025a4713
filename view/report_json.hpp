// A report as JSON: what the page draws. A direct translation of report.hpp and of the drawings' structs, with the names
// of their members; numbers that are not finite become null. docs/live-page.md has the form.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "view/report.hpp"

namespace dpm::view {

nlohmann::ordered_json report_json(const ReportInput& report);
nlohmann::ordered_json section_json(const Section& section);

}  // namespace dpm::view
