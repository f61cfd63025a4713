#include "view/report_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "model/check.hpp"

namespace dpm::view {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// A list of what `to_json` makes of each item.
template <typename Items, typename ToJson>
Json list(const Items& items, const ToJson& to_json) {
  Json out = Json::array();
  for (const auto& item : items) out.push_back(to_json(item));
  return out;
}

Json texts(const std::vector<std::string>& items) { return Json(items); }

Json numbers(const std::vector<double>& items) { return list(items, number); }

std::string_view name_of(CellTone tone) {
  switch (tone) {
    case CellTone::normal:
      return "normal";
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
  }
  DPM_CHECK(false);
}

std::string_view name_of(NumberForm form) {
  switch (form) {
    case NumberForm::plain:
      return "plain";
    case NumberForm::percent:
      return "percent";
    case NumberForm::bytes:
      return "bytes";
    case NumberForm::seconds:
      return "seconds";
  }
  DPM_CHECK(false);
}

Json reference_json(const std::optional<ReferenceLine>& line) {
  if (!line) return nullptr;
  return {{"value", number(line->value)}, {"label", line->label}};
}

// Each drawing has the name by which the page chooses how to draw it.
struct Drawn {
  std::string_view kind;
  Json drawing;
};

Drawn drawn(const Table& table) {
  return {
      "table",
      {{"columns", list(table.columns,
                        [](const Column& column) {
                          return Json{{"header", column.header}, {"number", column.number}};
                        })},
       {"rows", list(table.rows, [](const auto& row) {
          return list(row, [](const Cell& cell) { return Json{{"text", cell.text}, {"tone", name_of(cell.tone)}}; });
        })}}};
}

Drawn drawn(const LineChart& chart) {
  const auto series = [](const LineSeries& line) {
    return Json{{"name", line.name},
                {"points", list(line.points,
                                [](const auto& point) {
                                  return Json::array({number(point.first), number(point.second)});
                                })},
                {"dashed", line.dashed}};
  };
  return {"lines",
          {{"title", chart.title},
           {"description", chart.description},
           {"x_label", chart.x_label},
           {"y_label", chart.y_label},
           {"series", list(chart.series, series)},
           {"x_whole", chart.x_whole},
           {"y_from_zero", chart.y_from_zero},
           {"marks", chart.marks},
           {"reference", reference_json(chart.reference)}}};
}

Drawn drawn(const ScatterChart& chart) {
  const auto point = [](const ScatterPoint& at) {
    return Json{{"x", number(at.x)},
                {"y", number(at.y)},
                {"low", number(at.low)},
                {"high", number(at.high)},
                {"label", at.label}};
  };
  return {"scatter",
          {{"title", chart.title},
           {"description", chart.description},
           {"x_label", chart.x_label},
           {"y_label", chart.y_label},
           {"series", list(chart.series, [&](const ScatterSeries& series) {
              return Json{{"name", series.name}, {"points", list(series.points, point)}};
            })}}};
}

Drawn drawn(const BarChart& chart) {
  return {"bars",
          {{"title", chart.title},
           {"description", chart.description},
           {"series", texts(chart.series)},
           {"rows", list(chart.rows,
                         [](const BarRow& row) {
                           return Json{{"label", row.label}, {"values", numbers(row.values)}, {"tip", row.tip}};
                         })},
           {"form", name_of(chart.form)},
           {"reference", reference_json(chart.reference)}}};
}

Drawn drawn(const HeatMap& map) {
  return {"heat_map",
          {{"title", map.title},
           {"description", map.description},
           {"row_title", map.row_title},
           {"column_title", map.column_title},
           {"rows", texts(map.rows)},
           {"columns", texts(map.columns)},
           {"values", list(map.values, numbers)},
           {"texts", list(map.texts, texts)},
           {"tips", list(map.tips, texts)},
           {"scale", map.scale == HeatScale::signed_ ? "signed" : "amount"},
           {"full_at", number(map.full_at)},
           {"legend", map.legend}}};
}

Drawn drawn(const Graph& graph) {
  const auto node = [](const GraphNode& box) {
    return Json{{"label", box.label},
                {"note", box.note},
                {"heat", number(box.heat)},
                {"outside", box.outside},
                {"tip", box.tip}};
  };
  const auto arc = [](const GraphArc& arrow) {
    return Json{{"from", arrow.from},
                {"to", arrow.to},
                {"weight", number(arrow.weight)},
                {"label", arrow.label},
                {"tip", arrow.tip}};
  };
  return {"graph",
          {{"title", graph.title},
           {"description", graph.description},
           {"layout", graph.layout == GraphLayout::circle ? "circle" : "layered"},
           {"colour", graph.colour == GraphColour::heat ? "heat" : "weight"},
           {"nodes", list(graph.nodes, node)},
           {"arcs", list(graph.arcs, arc)}}};
}

Drawn drawn(const SpaceTime& diagram) {
  const Timeline& timeline = diagram.timeline;
  Json rows = Json::array();
  for (std::size_t i = 0; i < timeline.rows.size(); ++i)
    rows.push_back({{"process_name", diagram.process_names.at(i)},
                    {"machine_name", diagram.machine_names.at(i)},
                    {"machine", timeline.rows[i].machine.value}});
  const auto segment = [](const TimelineSegment& part) {
    return Json::array({part.row, part.kind == SegmentKind::blocked ? 1 : 0, part.from_ns, part.to_ns});
  };
  const auto arc = [](const TimelineArc& line) {
    return Json::array({line.from_row, line.to_row, line.sent_ns, line.received_ns, line.length_bytes,
                        line.of == ArcOf::wait ? 1 : 0});
  };
  return {"space_time",
          {{"title", diagram.title},
           {"description", diagram.description},
           {"from_ns", timeline.from_ns},
           {"to_ns", timeline.to_ns},
           {"rows", std::move(rows)},
           {"segments", list(timeline.segments, segment)},
           {"arcs", list(timeline.arcs, arc)},
           {"rows_left_out", timeline.rows_left_out},
           {"segments_left_out", timeline.segments_left_out},
           {"arcs_left_out", timeline.arcs_left_out},
           {"outside_messages", timeline.outside_messages},
           {"not_performed", timeline.not_performed}}};
}

std::string_view name_of(FlameTone tone) {
  switch (tone) {
    case FlameTone::process:
      return "process";
    case FlameTone::cpu:
      return "cpu";
    case FlameTone::queue:
      return "queue";
    case FlameTone::disk:
      return "disk";
    case FlameTone::lock:
      return "lock";
    case FlameTone::other:
      return "other";
  }
  DPM_CHECK(false);
}

Drawn drawn(const FlameGraph& graph) {
  const auto box = [](const FlameBox& part) {
    return Json{{"depth", part.depth}, {"from", number(part.from)},  {"to", number(part.to)},
                {"label", part.label}, {"tone", name_of(part.tone)}, {"tip", part.tip}};
  };
  return {"flame_graph",
          {{"title", graph.title}, {"description", graph.description}, {"boxes", list(graph.boxes, box)}}};
}

Json figure_json(const Figure& figure) {
  Drawn made = std::visit([](const auto& drawing) { return drawn(drawing); }, figure.drawing);
  return {{"heading", figure.heading},
          {"caption", figure.caption},
          {"wide", figure.wide},
          {"kind", made.kind},
          {"drawing", std::move(made.drawing)}};
}

Json ledger_json(const std::optional<Ledger>& ledger) {
  if (!ledger) return nullptr;
  const auto loss = [](const auto& lost) { return Json{{"reason", lost.reason}, {"events", lost.events}}; };
  return {{"seen", ledger->seen},
          {"kept", ledger->kept},
          {"filtered", ledger->filtered},
          {"lost", ledger->lost},
          {"losses", list(ledger->losses, loss)},
          {"warnings", texts(ledger->warnings)},
          {"balanced", ledger->balanced()}};
}

}  // namespace

Json section_json(const Section& section) {
  return {{"heading", section.heading}, {"text", section.text}, {"figures", list(section.figures, figure_json)}};
}

Json report_json(const ReportInput& report) {
  return {{"title", report.title},
          {"subtitle", report.subtitle},
          {"facts", list(report.facts,
                         [](const Fact& fact) {
                           return Json{{"label", fact.label}, {"value", fact.value}};
                         })},
          {"headlines",
           list(report.headlines,
                [](const Headline& headline) {
                  return Json{{"label", headline.label}, {"value", headline.value}, {"meaning", headline.meaning}};
                })},
          {"ledger", ledger_json(report.ledger)},
          {"warnings", texts(report.warnings)},
          {"sections", list(report.sections, section_json)},
          {"made_by", report.made_by}};
}

}  // namespace dpm::view
