#include "view/table.hpp"

#include "view/text.hpp"

namespace dpm::view {
namespace {

const char* tone_class(CellTone tone) {
  switch (tone) {
    case CellTone::muted:
      return "muted";
    case CellTone::strong:
      return "strong";
    case CellTone::prose:
      return "prose";
    case CellTone::pass:
      return "pass";
    case CellTone::fail:
      return "fail";
    case CellTone::normal:
      break;
  }
  return "";
}

// Colour alone tells nothing to many readers: marks stand before the words.
std::string mark(CellTone tone) {
  return tone == CellTone::pass   ? "<span class=\"sign\">\xE2\x9C\x93</span> "
         : tone == CellTone::fail ? "<span class=\"sign\">\xE2\x9C\x97</span> "
                                  : "";
}

}  // namespace

std::string draw(const Table& table) {
  std::string out = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const auto& column : table.columns) {
    out += column.number ? "<th scope=\"col\" class=\"number\">" : "<th scope=\"col\">";
    out += escaped(column.header) + "</th>";
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string style = i < table.columns.size() && table.columns[i].number ? "number" : "";
      const std::string tone = tone_class(row[i].tone);
      if (!tone.empty()) style += (style.empty() ? "" : " ") + tone;
      out += style.empty() ? "<td>" : "<td class=\"" + style + "\">";
      out += mark(row[i].tone) + escaped(row[i].text) + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace dpm::view
