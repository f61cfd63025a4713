// The live page: one HTML file with its script and its style in it, carried in the program. It loads nothing from elsewhere.
//
// Served as it is, it asks the server that sent it (docs/live-page.md). With a document inside (page_with_data) it is a report.html
// that needs no server.
#pragma once

#include <string>
#include <string_view>

namespace dpm::view {

std::string_view page_html();

// The page with `json` in <script type="application/json" id="data">. Every "<" of the document becomes "\u003c", which JSON permits
// only inside strings, so that no text of a trace can end the element or begin a comment.
std::string page_with_data(std::string_view json);

}  // namespace dpm::view
