// What the views of a report.html show: the page's answers about a trace that has ended, put into the file, which has no
// server to ask (docs/live-page.md, "Data in a file").
#pragma once

#include <string>

#include "view/answers/answer.hpp"

namespace dpm::cli {

// Reads the trace. Null: it has no events, or more than a file should answer for; the report then has only its sections.
view::Json file_data(const std::string& trace);

}  // namespace dpm::cli
