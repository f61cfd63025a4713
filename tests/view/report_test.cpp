#include "view/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/view/golden.hpp"
#include "tests/view/sample_report.hpp"
#include "view/figures.hpp"
#include "view/report_json.hpp"

using namespace dpm;
using namespace dpm::view;
using Json = nlohmann::ordered_json;

namespace {

// The document in the page.
Json data_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const auto from = page.find(begin) + begin.size();
  return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Replaces each bad byte, as a page must.
std::string dumped(const Json& document) { return document.dump(1, ' ', false, Json::error_handler_t::replace); }

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
  testing::check_golden("report.json", dumped(report_json(testing::sample_report())) + "\n");
}

TEST_CASE("view: the state diagram for Graphviz is as it was blessed", "[view]") {
  testing::check_golden("state_diagram.dot",
                        to_dot(state_diagram(testing::sample_causality(), testing::sample_trace_info())));
}

TEST_CASE("view: the page has the report in it, and what the views show besides", "[view]") {
  const ReportInput report = testing::sample_report();
  CHECK(data_of(render_report(report)) == Json{{"report", report_json(report)}});
  const Json views = {{"answers", {{"describe", {{"title", "t"}}}}}};
  const Json data = data_of(render_report(report, views));
  CHECK(data["report"] == report_json(report));
  CHECK(data["answers"] == views["answers"]);
}

TEST_CASE("view: every drawing of a report has a title and a description", "[view]") {
  std::size_t pictures = 0;
  const Json document = report_json(testing::sample_report());
  for (const auto& section : document["sections"])
    for (const auto& figure : section["figures"]) {
      if (figure["kind"] == "table") continue;
      INFO(figure["heading"]);
      CHECK(figure["drawing"]["title"] != "");
      CHECK(figure["drawing"]["description"] != "");
      ++pictures;
    }
  CHECK(pictures >= 12);
}

TEST_CASE("view: hostile names stay inside the document", "[view]") {
  const auto info = hostile_info();
  ReportInput report = testing::sample_report();
  report.title = report.subtitle = report.made_by = info.processes[0].name;
  report.facts.push_back({info.processes[1].name, info.processes[2].name});
  report.warnings.push_back(info.processes[3].name);
  report.ledger->losses.push_back({info.processes[4].name, 0});
  report.sections = {{info.processes[5].name, info.processes[6].name, all_figures(info)}};
  const std::string page = render_report(report), plain_page = render_report({});
  for (const std::string part : {"<script", "</script", "<!--", "<b>", "<red>", "\x01"}) {
    INFO(part);
    CHECK(occurrences(page, part) == occurrences(plain_page, part));
  }
  CHECK(data_of(page)["report"]["title"] == "<script>alert(1)</script>");
}

TEST_CASE("view: figures of nothing are written without a fault", "[view]") {
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
  const Json document = report_json(report);
  CHECK(document["sections"][0]["figures"].size() == report.sections[0].figures.size());
  CHECK(data_of(render_report(report))["report"] == document);
}

TEST_CASE("view: a ledger that does not add up is marked", "[view]") {
  ReportInput report;
  report.ledger = Ledger{10, 5, 1, 1, 0, {}, {"clock of red jumped"}};
  CHECK(report_json(report)["ledger"]["balanced"] == false);
  CHECK(report_json(report)["ledger"]["warnings"][0] == "clock of red jumped");
  report.ledger->kept = 8;
  CHECK(report_json(report)["ledger"]["balanced"] == true);
  report.ledger.reset();
  CHECK(report_json(report)["ledger"].is_null());
}

TEST_CASE("view: a value that was not measured is null, never a zero", "[view]") {
  ReportInput report;
  const LineChart lines{"t", "d", "x", "y", {{"s", {{1, 2}, {2, kNoValue}}, false}}, false, true, true, {}};
  const BarChart bars{"t", "d", {"s"}, {{"a", {kNoValue}, ""}}, NumberForm::plain, {}};
  const ScatterChart points{"t", "d", "x", "y", {{"s", {{1, 1}}}}};
  report.sections = {{"", "", {{"", "", lines}, {"", "", bars}, {"", "", points}}}};
  const Json document = report_json(report);
  const Json& figures = document["sections"][0]["figures"];
  CHECK(figures[0]["drawing"]["series"][0]["points"] == Json::parse("[[1.0,2.0],[2.0,null]]"));
  CHECK(figures[1]["drawing"]["rows"][0]["values"][0].is_null());
  CHECK(figures[2]["drawing"]["series"][0]["points"][0]["low"].is_null());
}

TEST_CASE("view: shares of the critical path with long names take the whole width", "[view]") {
  const std::string name = "messages request_interpreter_of_the_server → directory_manager";
  CHECK(critical_path_figure({{name, .5}, {"disk", .5}}).wide);
  CHECK_FALSE(critical_path_figure({{"disk", 1}}).wide);
}
