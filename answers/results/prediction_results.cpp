#include "answers/results/prediction_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "model/counted.hpp"
#include "text/first_names.hpp"
#include "text/number_text.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"
#include "text/wrapped.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string subject_of(const Gain& gain) {
  switch (gain.of) {
    case Gain::Of::process:
      return "CPU time of " + gain.a;
    case Gain::Of::link:
      return "messages " + gain.a + " - " + gain.b;
    case Gain::Of::machines:
      return "messages between machines " + gain.a + " - " + gain.b;
  }
  return "";
}

// The option that tries it.
const char* option_of(Gain::Of of) { return of == Gain::Of::process ? "speed" : "link"; }

// Those that change the elapsed time most, either way: a row that lengthens it matters, too, and so does one by chance.
std::vector<Gain> largest_first(std::vector<Gain> gains) {
  std::stable_sort(gains.begin(), gains.end(),
                   [](const Gain& a, const Gain& b) { return std::abs(a.elapsed) > std::abs(b.elapsed); });
  return gains;
}

std::string paragraph(const std::string& text, int width) {
  std::string lines;
  for (const auto& line : wrapped(text, static_cast<std::size_t>(width))) lines += line + "\n";
  return lines;
}

std::string sensitivity_text(const Prediction& prediction, int width) {
  constexpr std::size_t kShown = 20;
  const Sensitivity& sensitivity = *prediction.sensitivity;
  const std::string placement =
      prediction.placement.empty() ? "as traced" : "on '" + printable(prediction.placement) + "'";
  std::string text = "\n" + paragraph(fmt::format("elapsed {}: {} with 10 % longer delays, {} with 10 % slower CPUs",
                                                  placement, signed_percent(sensitivity.delays_10_percent_longer, 3),
                                                  signed_percent(sensitivity.cpu_10_percent_slower, 3)),
                                      width);
  const auto gains = largest_first(sensitivity.gains.gains);
  if (gains.empty()) return text;
  TextTable table({"~1 % less of", ">all of it", ">elapsed", ">P"});
  bool any_reorders = false;
  for (std::size_t i = 0; i < std::min(gains.size(), kShown); ++i) {
    table.add_row({subject_of(gains[i]) + (gains[i].reorders ? " *" : ""), seconds_text(gains[i].used_s),
                   signed_percent(gains[i].elapsed, 3), signed_percent(gains[i].P, 3)});
    any_reorders |= gains[i].reorders;
  }
  text += table.to_text(width);
  if (any_reorders)
    text += paragraph("* more than the time saved: messages arrive in another order, perhaps only in this run", width);
  if (gains.size() > kShown) text += fmt::format("and {} smaller ones\n", gains.size() - kShown);
  // Their changes are not known, so they are not smaller ones.
  if (const std::uint64_t untried = sensitivity.gains.left_out; untried > 0)
    text +=
        paragraph(fmt::format("not tried: {} with less CPU time or delays than others of their kind", untried), width);
  return text;
}

nlohmann::ordered_json gains_json(const Gains& gains) {
  Json rows = Json::array();
  for (const Gain& gain : gains.gains) {
    const bool is_process = gain.of == Gain::Of::process;
    rows.push_back({{"of", is_process                  ? "process"
                           : gain.of == Gain::Of::link ? "link"
                                                       : "machines"},
                    {"name", is_process ? gain.a : gain.a + "-" + gain.b},
                    {"option", option_of(gain.of)},
                    {"all_of_it_s", gain.used_s},
                    {"elapsed", gain.elapsed},
                    {"P", gain.P},
                    {"reorders", gain.reorders}});
  }
  return rows;
}

// "3.42 (3.38 to 3.47)", or the value alone if both ends of the interval read the same.
std::string with_interval(const std::string& value, const std::string& low, const std::string& high) {
  return low == high ? value : fmt::format("{} ({} to {})", value, low, high);
}

std::string P_text(const Prediction& p) {
  if (!p.interval) return fixed(p.P, 3);
  return with_interval(fixed(p.P, 3), fixed(p.interval->low_P, 3), fixed(p.interval->high_P, 3));
}

std::string elapsed_text(const Prediction& p) {
  if (!p.interval) return seconds_text(p.elapsed_s);
  const std::vector<std::string> texts = {seconds_text(p.elapsed_s), seconds_text(p.interval->low_elapsed_s),
                                          seconds_text(p.interval->high_elapsed_s)};
  const auto unit_of = [](const std::string& text) { return text.substr(text.find(' ')); };
  const auto number_of = [](const std::string& text) { return text.substr(0, text.find(' ')); };
  const std::string unit = unit_of(texts[0]);
  if (unit_of(texts[1]) != unit || unit_of(texts[2]) != unit) return with_interval(texts[0], texts[1], texts[2]);
  return with_interval(number_of(texts[0]), number_of(texts[1]), number_of(texts[2])) + unit;
}

std::string some_names(const std::vector<ProcessId>& processes, const TraceInfo& info) {
  if (processes.empty()) return "all processes";
  std::vector<std::string> names;
  for (const ProcessId process : processes) names.push_back(info[process].name);
  return first_names(names);
}

// Which order was chosen for which processes, and why; empty if there was no choice.
std::string why_text(const Prediction& prediction, const TraceInfo& info, int width) {
  const bool is_live = !info.properties.scripted;  // whose programs are not described anywhere
  std::vector<std::string> columns = {"order", "~of", "~because they"};
  if (is_live) columns.insert(columns.begin() + 2, ">of CPU");
  TextTable table(std::move(columns));
  bool chosen = false;
  for (const auto& entry : prediction.why) {
    chosen |= entry.order != "any";
    std::vector<std::string> row = {entry.order, some_names(entry.processes, info), entry.reason};
    if (is_live) row.insert(row.begin() + 2, percent(entry.cpu_share, 0));
    table.add_row(std::move(row));
  }
  return chosen ? "\n" + table.to_text(width) : "";
}

nlohmann::ordered_json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {{"low", interval->low_P},
          {"high", interval->high_P},
          {"low_elapsed_s", interval->low_elapsed_s},
          {"high_elapsed_s", interval->high_elapsed_s}};
}

nlohmann::ordered_json spans_json(const std::vector<MessageSpan>& spans, const TraceInfo& info) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& span : spans)
    rows.push_back(
        {{"process", info[span.process].name}, {"first_message_s", span.first_s}, {"last_message_s", span.last_s}});
  return rows;
}

nlohmann::ordered_json why_json(const Prediction& prediction, const TraceInfo& info) {
  auto orders = nlohmann::ordered_json::array();
  for (const auto& entry : prediction.why) {
    auto processes = nlohmann::ordered_json::array();
    for (const ProcessId process : entry.processes) processes.push_back(info[process].name);
    orders.push_back({{"order", entry.order},
                      {"processes", std::move(processes)},
                      {"reason", entry.reason},
                      {"is_open", entry.is_open},
                      {"cpu_share", entry.cpu_share}});
  }
  return orders;
}

// The folder that all `paths` begin with, with its "/"; empty if there is none.
std::string common_folder(const std::vector<std::string>& paths) {
  if (paths.empty()) return "";
  std::string_view common = paths.front();
  for (const std::string_view path : paths) {
    const auto differs = std::mismatch(common.begin(), common.end(), path.begin(), path.end());
    common = common.substr(0, static_cast<std::size_t>(differs.first - common.begin()));
  }
  return std::string(common.substr(0, common.rfind('/') + 1));
}

// A column of names is narrow. Where files have one folder, the end of the path tells them apart.
std::vector<std::string> short_names(const std::vector<Prediction>& predictions,
                                     const std::vector<std::string>& files) {
  std::vector<std::string> paths, names;
  for (const auto& prediction : predictions)
    if (std::find(files.begin(), files.end(), prediction.placement) != files.end())
      paths.push_back(prediction.placement);
  const std::string folder = common_folder(paths);
  for (const auto& prediction : predictions) {
    const bool is_path = std::find(paths.begin(), paths.end(), prediction.placement) != paths.end();
    names.push_back(is_path ? prediction.placement.substr(folder.size()) : prediction.placement);
  }
  return names;
}

}  // namespace

std::string prediction_text(const std::vector<Prediction>& predictions, const std::vector<std::string>& files,
                            const std::vector<PredictionChange>& changes, const TraceInfo& info, int width) {
  TextTable table({"placement", "~order", ">P", ">elapsed", ">P of all orders", ">identity error", ">clock error"});
  const auto add = [&](const Prediction& p, const std::string& name) {
    table.add_row({name, order_text(p), P_text(p), elapsed_text(p),
                   fmt::format("{} to {}", fixed(p.spread.low_P, 3), fixed(p.spread.high_P, 3)),
                   percent(p.identity_error, 2), p.clock_error ? percent(*p.clock_error, 2) : "-"});
  };
  const std::vector<std::string> names = short_names(predictions, files);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const std::string name = names[i].empty() ? "as traced" : names[i];
    if (changes.empty()) {
      add(predictions[i], name);
      continue;
    }
    add(changes[i].before, name);
    std::string with = "  with";
    for (const auto& word : changes[i].words) with += (&word == &changes[i].words.front() ? " " : ", ") + word;
    add(predictions[i], with);
  }
  std::string text = table.to_text(width);
  for (const auto& prediction : predictions)
    if (prediction.sensitivity) text += sensitivity_text(prediction, width);
  std::vector<std::string> unknown;
  for (const auto& prediction : predictions)
    for (const auto& sentence : prediction.unknown)
      if (std::find(unknown.begin(), unknown.end(), sentence) == unknown.end()) unknown.push_back(sentence);
  for (const auto& sentence : unknown) text += paragraph("unknown: " + printable(sentence), width);
  return text + why_text(predictions.front(), info, width);
}

nlohmann::ordered_json caveats_json(const TraceCaveats& caveats) {
  return {{"sentences", caveats.sentences},
          {"T_may_be_higher_by", caveats.lost_T ? Json(*caveats.lost_T) : Json()},
          {"elapsed_may_be_longer_by", caveats.lost_elapsed ? Json(*caveats.lost_elapsed) : Json()}};
}

nlohmann::ordered_json change_json(const PredictionChange& change) {
  const Prediction& before = change.before;
  return {{"changes", change.words},
          {"before", {{"P", before.P}, {"T_s", before.T_s}, {"elapsed_s", before.elapsed_s}}},
          {"notes", change.notes}};
}

nlohmann::ordered_json prediction_json(const Prediction& prediction, const TraceInfo& info) {
  Json document = {{"placement", prediction.placement},
                   {"P", prediction.P},
                   {"T_s", prediction.T_s},
                   {"elapsed_s", prediction.elapsed_s},
                   {"order", prediction.automatic ? "auto" : name_of(prediction.order)},
                   {"method", name_of(prediction.method)},
                   {"spread",
                    {{"low", prediction.spread.low_P},
                     {"high", prediction.spread.high_P},
                     {"low_elapsed_s", prediction.spread.low_elapsed_s},
                     {"high_elapsed_s", prediction.spread.high_elapsed_s}}},
                   {"interval", interval_json(prediction.interval)},
                   {"identity_error", prediction.identity_error},
                   {"clock_error", prediction.clock_error ? Json(*prediction.clock_error) : Json()},
                   {"clock_error_has_metering", prediction.clock_error_has_meter},
                   {"message_spans", spans_json(prediction.message_spans, info)},
                   {"shortest_s", prediction.shortest_s},
                   {"unknown", prediction.unknown},
                   {"warnings", prediction.warnings}};
  if (prediction.automatic) document["orders"] = why_json(prediction, info);
  if (prediction.sensitivity)
    document["sensitivity"] = {{"delays_10_percent_longer", prediction.sensitivity->delays_10_percent_longer},
                               {"cpu_10_percent_slower", prediction.sensitivity->cpu_10_percent_slower},
                               {"gains_of_1_percent", gains_json(prediction.sensitivity->gains)},
                               {"gains_left_out", prediction.sensitivity->gains.left_out}};
  if (!prediction.roles.empty()) {
    Json roles = Json::array();
    for (const auto& group : prediction.roles) {
      Json workers = Json::array();
      for (const auto worker : group.workers) workers.push_back(info[worker].name);
      roles.push_back({{"dispatcher", info[group.dispatcher].name}, {"workers", std::move(workers)}});
    }
    document["roles"] = std::move(roles);
  }
  return document;
}

std::string taken_out_text(const TracingCost& cost, const std::vector<Prediction>& with_it) {
  const auto seconds = [](std::uint64_t ns) { return seconds_text(static_cast<double>(ns) * 1e-9); };
  std::string text = fmt::format(
      "removed from the CPU times: {} of metering ({}), {} of waking ({} on another machine)\n",
      seconds(cost.metering_ns), counted(cost.calls, "call"), seconds(cost.wake_up_ns), counted(cost.wake_ups, "time"));
  for (const auto& p : with_it)
    text += fmt::format("without removing it, {}: P {}, elapsed {}\n", p.placement.empty() ? "as traced" : p.placement,
                        fixed(p.P, 3), seconds_text(p.elapsed_s));
  return text;
}

nlohmann::ordered_json taken_out_json(const TracingCost& cost, const Prediction& with_it, const TraceInfo& info) {
  return {{"calls", cost.calls},
          {"metering_s", static_cast<double>(cost.metering_ns) * 1e-9},
          {"wake_ups", cost.wake_ups},
          {"wake_ups_s", static_cast<double>(cost.wake_up_ns) * 1e-9},
          {"with_it",
           {{"P", with_it.P},
            {"T_s", with_it.T_s},
            {"elapsed_s", with_it.elapsed_s},
            {"message_spans", spans_json(with_it.message_spans, info)}}}};
}

}  // namespace dpm::cli
