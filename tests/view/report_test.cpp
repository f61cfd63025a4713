#include "view/report.hpp"
#include "view/text.hpp"

#include <fmt/format.h>

#include "tests/support/catch.hpp"
#include "tests/view/golden.hpp"
#include "tests/view/sample_report.hpp"
#include "tests/view/well_formed.hpp"
#include "view/matrix_order.hpp"

using namespace dpm;
using namespace dpm::view;
using dpm::testing::xml_fault;

namespace {

// The page from <main> on: the head has HTML's own unclosed <meta>.
std::string body_of(const std::string& page) {
  const auto begin = page.find("<main>");
  return page.substr(begin, page.find("</main>") + 7 - begin);
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Every name of a trace replaced by something that tries to escape from its place.
TraceInfo hostile_info() {
  auto info = testing::sample_trace_info();
  const std::vector<std::string> names = {"<script>alert(1)</script>",
                                          "a\"onload=\"x",
                                          "</svg><b>",
                                          "&amp;<!--",
                                          std::string("\xff\xfe\x01", 3),
                                          "'--><style>*{}",
                                          "]]>" + std::string(300, 'w')};
  for (std::size_t i = 0; i < info.processes.size(); ++i) info.processes[i].name = names[i];
  info.machines[0].name = "<red>";
  info.machines[1].name = "";
  return info;
}

std::vector<Figure> all_figures(const TraceInfo& info) {
  const auto statistics = testing::sample_statistics();
  const auto queues = testing::sample_queues();
  const auto causality = testing::sample_causality();
  std::vector<Figure> figures = {
      communication_figure(statistics, info),  process_share_figure(statistics, info),
      message_matrix_figure(statistics, info), hot_spots_figure(statistics, info),
      message_size_figure(statistics),         queue_figure(queues, info),
      state_diagram_figure(causality, info),   branching_figure(causality, info),
      common_paths_figure(causality, info),    space_time_figure(testing::sample_timeline(), info)};
  for (auto& figure : density_figures(statistics, info)) figures.push_back(figure);
  for (auto& figure : queue_series_figures(queues, info)) figures.push_back(figure);
  return figures;
}

}  // namespace

TEST_CASE("view: a report with every figure is as it was blessed", "[view]") {
  testing::check_golden("report.html", render_report(testing::sample_report()));
}

TEST_CASE("view: the state diagram for Graphviz is as it was blessed", "[view]") {
  testing::check_golden("state_diagram.dot",
                        to_dot(state_diagram(testing::sample_causality(), testing::sample_trace_info())));
}

TEST_CASE("view: a report is well-formed, titled and described, and loads nothing", "[view]") {
  const std::string page = render_report(testing::sample_report());
  CHECK(xml_fault(body_of(page)) == "");
  const auto pictures = testing::pictures_of(page);
  CHECK(pictures.size() >= 12);
  for (const auto& picture : pictures) {
    CHECK(xml_fault(picture) == "");
    CHECK(picture.find("<title></title>") == std::string::npos);
    CHECK(picture.find("<desc></desc>") == std::string::npos);
    CHECK(picture.find("nan") == std::string::npos);
  }
  for (const std::string loader : {"<script", "src=", "href=", "url(", "@import", "<link"}) {
    INFO(loader);
    CHECK(page.find(loader) == std::string::npos);
  }
  CHECK(occurrences(page, "http") == occurrences(page, "xmlns=\"http://www.w3.org/2000/svg\""));
}

TEST_CASE("view: hostile names stay text", "[view]") {
  const auto info = hostile_info();
  ReportInput report = testing::sample_report();
  report.title = report.subtitle = report.made_by = info.processes[0].name;
  report.facts.push_back({info.processes[1].name, info.processes[2].name});
  report.warnings.push_back(info.processes[3].name);
  report.ledger->losses.push_back({info.processes[4].name, 0});
  report.sections = {{info.processes[5].name, info.processes[6].name, all_figures(info)}};
  const std::string page = render_report(report);
  CHECK(xml_fault(body_of(page)) == "");
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("<b>") == std::string::npos);
  CHECK(page.find("onload=\"") == std::string::npos);
  CHECK(page.find('\x01') == std::string::npos);
  CHECK(page.find("<red>") == std::string::npos);
}

TEST_CASE("view: figures of nothing are drawn without a fault", "[view]") {
  const TraceInfo info;
  ReportInput report;
  report.ledger = Ledger{};
  report.sections = {{"empty",
                      "",
                      {communication_figure({}, info),
                       process_share_figure({}, info),
                       message_matrix_figure({}, info),
                       hot_spots_figure({}, info),
                       message_size_figure({}),
                       queue_figure({}, info),
                       state_diagram_figure({}, info),
                       branching_figure({}, info),
                       common_paths_figure({}, info),
                       space_time_figure({}, info),
                       parallelism_figure({}),
                       comparison_figure({}),
                       prediction_figure({}, {}, 5),
                       critical_path_figure({}),
                       {"line", "", LineChart{}, false},
                       {"scatter", "", ScatterChart{}, false},
                       {"graph", "", Graph{}, false}}}};
  for (auto& figure : sweep_figures({}, "users", "nobody")) report.sections[0].figures.push_back(figure);
  for (auto& figure : sweep_figures({{1, kNoValue, 3}}, "users", "nobody"))
    report.sections[0].figures.push_back(figure);
  CHECK(xml_fault(body_of(render_report(report))) == "");
}

TEST_CASE("view: a ledger that does not add up is marked", "[view]") {
  ReportInput report;
  report.ledger = Ledger{10, 5, 1, 1, {}, {"clock of red jumped"}};
  const std::string page = render_report(report);
  CHECK(page.find("does not add up") != std::string::npos);
  CHECK(page.find("clock of red jumped") != std::string::npos);
  report.ledger->kept = 8;
  CHECK(render_report(report).find("does not add up") == std::string::npos);
}

TEST_CASE("view: a value that was not measured is a dash or a gap, never a zero", "[view]") {
  LineChart chart{"t", "d", "x", "y", {{"s", {{1, 2}, {2, kNoValue}, {3, 4}, {4, 5}}, false}}, false, true, true, {}};
  const std::string picture = draw(chart, kHalfWidth);
  CHECK(occurrences(picture, "<circle") == 3);
  CHECK(occurrences(picture, "<polyline") == 1);  // a single point is not a line
  BarChart bars{"t", "d", {"s"}, {{"a", {kNoValue}, ""}}, NumberForm::plain, {}};
  CHECK(draw(bars, kHalfWidth).find("\xE2\x80\x93</text>") != std::string::npos);
}

TEST_CASE("view: right predictions are on the diagonal of their picture", "[view]") {
  ScatterChart chart{"t", "d", "measured", "predicted", {{"<arrival>", {{1, 1}, {3, 3}}}, {"recorded", {}}}};
  chart.series[1].points = {{2, 2.5, 2, 3, "A from B"}, {kNoValue, 1, kNoValue, kNoValue, ""}};
  const std::string picture = draw(chart, kHalfWidth);
  CHECK(xml_fault(picture) == "");
  CHECK(occurrences(picture, "<circle") == 3 + 2);  // and two in the legend
  CHECK(picture.find("recorded, A from B: 2.5 for 2") != std::string::npos);
  // The axes are equal: the diagonal goes as far to the right as it goes up.
  const auto number_behind = [&](const std::string& name, std::size_t from) {
    return std::stod(picture.substr(picture.find(name + "=\"", from) + name.size() + 2));
  };
  const std::size_t diagonal = picture.find("class=\"reference\"");
  REQUIRE(diagonal != std::string::npos);
  CHECK(number_behind("x2", diagonal) - number_behind("x1", diagonal) ==
        Approx(number_behind("y1", diagonal) - number_behind("y2", diagonal)).margin(.2));
}

TEST_CASE("view: shares of the critical path have their names whole, however long", "[view]") {
  const std::string name = "messages request_interpreter_of_the_server → directory_manager";
  const Figure figure = critical_path_figure({{name, .5}, {"disk", .5}});
  CHECK(figure.wide);
  const std::string picture = draw(std::get<BarChart>(figure.drawing), kFullWidth);
  CHECK(occurrences(picture, fmt::format(">{}<", name)) == 2);  // the label, and the tooltip
  CHECK(occurrences(picture, "…") == 0);
  CHECK_FALSE(critical_path_figure({{"disk", 1}}).wide);
}

TEST_CASE("view: errors that are printed as 0.0 % have one colour", "[view]") {
  const Figure figure = prediction_figure({"a", "b"}, {{0, 1e-9}, {-1e-9, 0.04}}, 2);
  const std::string picture = draw(std::get<HeatMap>(figure.drawing), kHalfWidth);
  CHECK(occurrences(picture, ">0.0") >= 4);
  const std::string other =
      draw(std::get<HeatMap>(prediction_figure({"a", "b"}, {{0, 0}, {0, 0}}, 2).drawing), kHalfWidth);
  CHECK(occurrences(picture, "heat-") == occurrences(other, "heat-"));  // those of the legend
}

TEST_CASE("view: slanted names of columns are inside the picture", "[view]") {
  HeatMap map;
  for (int i = 0; i < 30; ++i) map.columns.push_back("a_process_of_20_chars");
  map.rows = {"a"};
  map.values = {std::vector<double>(map.columns.size(), 1)};
  const std::string picture = draw(map, kHalfWidth);
  const auto number_behind = [&](const std::string& name, std::size_t from) {
    return std::stod(picture.substr(picture.find(name, from) + name.size()));
  };
  const std::size_t last = picture.rfind("<text", picture.rfind("a_process_of_20_cha…"));
  REQUIRE(last != std::string::npos);
  const double end = number_behind(" x=\"", last) + 0.71 * view::text_width(view::shortened(map.columns.back(), 20), 12);
  CHECK(number_behind("viewBox=\"0 0 ", 0) >= end);
}
