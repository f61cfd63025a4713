#include "view/report.hpp"

#include "view/style.hpp"
#include "view/text.hpp"

namespace dpm::view {
namespace {

std::string element(const std::string& name, const std::string& style, const std::string& text) {
  if (text.empty()) return "";
  return "<" + name + (style.empty() ? "" : " class=\"" + style + "\"") + ">" + escaped(text) + "</" + name + ">\n";
}

std::string list(const std::vector<std::string>& items) {
  std::string out = "<ul>\n";
  for (const auto& item : items) out += element("li", "", item);
  return out + "</ul>\n";
}

std::string headlines(const std::vector<Headline>& headlines) {
  if (headlines.empty()) return "";
  std::string out = "<div class=\"top\">\n";
  for (const auto& headline : headlines) {
    out += "<div class=\"headline\">\n" + element("div", "label", headline.label) +
           element("div", "value", headline.value) + element("div", "meaning", headline.meaning) + "</div>\n";
  }
  return out + "</div>\n";
}

std::string facts(const std::vector<Fact>& facts) {
  if (facts.empty()) return "";
  std::string out = "<dl class=\"facts\">\n";
  for (const auto& fact : facts) {
    out += "<div><dt>" + escaped(fact.label) + "</dt><dd>" + escaped(fact.value) + "</dd></div>\n";
  }
  return out + "</dl>\n";
}

std::string ledger(const Ledger& ledger) {
  std::string out =
      "<section class=\"ledger\" aria-label=\"Ledger of events\">\n<h3>Ledger: every event that was seen</h3>\n";
  out += "<div class=\"parts\" aria-hidden=\"true\">";
  const auto part = [&](const char* name, std::uint64_t events) {
    if (events == 0 || ledger.seen == 0) return;
    const double share = 100 * static_cast<double>(events) / static_cast<double>(ledger.seen);
    out += std::string("<span class=\"") + name + "\" style=\"width:" + coordinate(share) + "%\"></span>";
  };
  part("kept", ledger.kept);
  part("filtered", ledger.filtered);
  part("lost", ledger.lost);
  out += "</div>\n<div class=\"counts\">";
  const auto count = [&](const char* name, std::uint64_t events) {
    out += std::string("<span><span class=\"key ") + name + "\"></span>" + grouped(events) + " " + name + "</span>";
  };
  out += "<span><strong>" + grouped(ledger.seen) + "</strong> seen</span>";
  count("kept", ledger.kept);
  count("filtered", ledger.filtered);
  count("lost", ledger.lost);
  out += "</div>\n";
  std::vector<std::string> losses;
  for (const auto& loss : ledger.losses) losses.push_back(grouped(loss.events) + " lost: " + loss.reason);
  if (!ledger.balanced()) losses.push_back("The ledger does not add up: do not trust the results below.");
  if (!losses.empty()) out += list(losses);
  return out + "</section>\n";
}

std::string drawing(const Figure& figure) {
  const double width = figure.wide ? kFullWidth : kHalfWidth;
  return std::visit(
      [&](const auto& thing) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(thing)>, Table>) {
          return draw(thing);
        } else {
          return "<div class=\"scroll\">\n" + draw(thing, width) + "</div>\n";
        }
      },
      figure.drawing);
}

// Half-width figures stand in pairs. A figure without a partner gets the whole row, with its caption beside it.
std::vector<std::string> figure_classes(const std::vector<Figure>& figures) {
  std::vector<std::string> classes(figures.size());
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const bool has_partner = i + 1 < figures.size() && !figures[i + 1].wide;
    if (figures[i].wide) {
      classes[i] = "wide";
    } else if (has_partner) {
      ++i;
    } else {
      classes[i] = "alone";
    }
  }
  return classes;
}

std::string section(const Section& section) {
  if (section.figures.empty() && section.text.empty()) return "";
  std::string out = "<section>\n" + element("h2", "", section.heading) + element("p", "lead", section.text);
  out += "<div class=\"grid\">\n";
  const auto classes = figure_classes(section.figures);
  for (std::size_t i = 0; i < section.figures.size(); ++i) {
    const auto& figure = section.figures[i];
    out += classes[i].empty() ? "<figure>\n" : "<figure class=\"" + classes[i] + "\">\n";
    out +=
        element("h3", "", figure.heading) + drawing(figure) + element("figcaption", "", figure.caption) + "</figure>\n";
  }
  return out + "</div>\n</section>\n";
}

}  // namespace

std::string render_report(const ReportInput& report) {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out +=
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" + element("title", "", report.title);
  out += "<style>" + std::string(style_sheet()) + "</style>\n</head>\n<body>\n<main>\n<header>\n";
  out += element("h1", "", report.title) + element("p", "subtitle", report.subtitle);
  out += headlines(report.headlines) + facts(report.facts);
  if (report.ledger) out += ledger(*report.ledger);
  auto warnings = report.warnings;
  if (report.ledger) warnings.insert(warnings.begin(), report.ledger->warnings.begin(), report.ledger->warnings.end());
  if (!warnings.empty()) {
    out += "<section class=\"warnings\" aria-label=\"Warnings\">\n<strong>Before you trust the results</strong>\n" +
           list(warnings) + "</section>\n";
  }
  out += "</header>\n";
  for (const auto& part : report.sections) out += section(part);
  if (!report.made_by.empty()) out += element("footer", "", report.made_by);
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace dpm::view
