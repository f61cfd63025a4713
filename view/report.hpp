// The report: one self-contained HTML page. Pictures are inline SVG, the style is in the page, and nothing is loaded from
// elsewhere. The page follows the reader's light or dark setting, can be printed, and is readable on a telephone.
//
// A report is data (ReportInput) until render_report() turns it into a string: the same input gives the same bytes.
#pragma once

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

std::string render_report(const ReportInput& report);

}  // namespace dpm::view
