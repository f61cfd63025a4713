// The report: one HTML page that needs nothing else. Pictures are inline SVG, the style is in the page, nothing is
// loaded from anywhere; it follows the reader's light or dark setting, prints, and reads on a telephone.
//
// A report is data (ReportInput) until render_report() makes it a string: the same input gives the same bytes.
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

// The number the reader came for.
struct Headline {
  std::string label;    // "P"
  std::string value;    // "1.21"
  std::string meaning;  // one sentence
};

struct Section {
  std::string heading;
  std::string text;  // what this answers; may be empty
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
