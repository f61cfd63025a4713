// The report: one self-contained HTML page. It is the live page (view/page) with its data inside: it follows the reader's
// light or dark setting, can be printed, is readable on a telephone, and loads nothing from elsewhere.
//
// A report is data (ReportInput) until render_report() puts it into the page: the same input gives the same bytes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/ledger.hpp"
#include "view/figure.hpp"

namespace dpm::view {

struct Fact {
  std::string label, value;
};

// A main result.
struct Headline {
  std::string label;    // "P"
  std::string value;    // "1.21"
  std::string meaning;  // one sentence
};

struct Section {
  std::string heading;
  std::string text;  // the question that the section answers; may be empty
  std::vector<Figure> figures;
};

struct ReportInput {
  std::string title;
  std::string subtitle;
  std::vector<Fact> facts;  // scenario, seed, placement, machines, ...
  std::vector<Headline> headlines;
  std::optional<Ledger> ledger;
  std::vector<std::string> warnings;  // besides the ledger's own
  std::vector<Section> sections;
  std::string made_by;  // last line of the page
};

// `views`: what the views of the page show besides the sections, as answers to their requests (docs/live-page.md); null for a
// report that has only sections.
std::string render_report(const ReportInput& report, const nlohmann::ordered_json& views);
std::string render_report(const ReportInput& report);

}  // namespace dpm::view
