#include "cli/run/study_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "answers/results/parallelism_results.hpp"
#include "text/number_text.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

// The mean of runs that differ only in their seed: a row of the table.
struct SweepRow {
  const SweepPoint* first = nullptr;
  double runs = 0;
  double no_delay_P = 0, delay_P = 0, delay_cpu_P = 0, simulated_P = 0, elapsed_s = 0, queue = 0;

  void divide_by_runs() {
    for (double* sum : {&no_delay_P, &delay_P, &delay_cpu_P, &simulated_P, &elapsed_s, &queue}) *sum /= runs;
  }
};

std::vector<SweepRow> rows_of(const SweepResult& sweep, const std::string& process) {
  std::vector<SweepRow> rows;
  for (const auto& point : sweep.points) {
    const auto same = [&](const SweepRow& row) {
      return row.first->parameters == point.parameters && row.first->placement == point.placement;
    };
    auto sum = std::find_if(rows.begin(), rows.end(), same);
    if (sum == rows.end()) sum = rows.insert(rows.end(), SweepRow{.first = &point});
    const auto queue = point.queue_mean.find(process);
    sum->runs += 1;
    if (point.parallelism) {
      sum->no_delay_P += point.parallelism->no_delay.P;
      sum->delay_P += point.parallelism->delay.P;
      sum->delay_cpu_P += point.parallelism->delay_cpu.P;
    }
    sum->simulated_P += point.simulated_P;
    sum->elapsed_s += point.simulated_elapsed_s;
    sum->queue += queue == point.queue_mean.end() ? 0 : queue->second;
  }
  for (auto& row : rows) row.divide_by_runs();
  return rows;
}

// The mean over seeds and placements of each value of the first swept parameter, and which value has the greatest P.
struct Means {
  double P = 0;
  std::map<std::string, double> queue_mean;
  std::size_t runs = 0;
};

std::map<double, Means> means_by_first_parameter(const SweepResult& sweep) {
  std::map<double, Means> means;
  for (const auto& point : sweep.points) {
    Means& mean = means[point.parameters.at(sweep.parameters.front())];
    if (point.parallelism) mean.P += point.parallelism->delay_cpu.P;
    for (const auto& [process, length] : point.queue_mean) mean.queue_mean[process] += length;
    ++mean.runs;
  }
  for (auto& [value, mean] : means) {
    mean.P /= static_cast<double>(mean.runs);
    for (auto& [process, length] : mean.queue_mean) length /= static_cast<double>(mean.runs);
  }
  return means;
}

}  // namespace

std::string sweep_text(const SweepResult& sweep, int width) {
  const std::string process = longest_queue(sweep);
  const auto rows = rows_of(sweep, process);
  std::vector<std::string> headings;
  for (const auto& parameter : sweep.parameters) headings.push_back(">" + parameter);
  if (sweep.placements > 1) headings.push_back("placement");
  for (const char* heading : {">P no delay", ">P delay", ">P delay+CPU", ">P simulated", ">elapsed"})
    headings.push_back(heading);
  if (!process.empty()) headings.push_back(">queue of " + process);
  TextTable table(headings);
  for (const auto& row : rows) {
    std::vector<std::string> cells;
    for (const auto& parameter : sweep.parameters) cells.push_back(significant(row.first->parameters.at(parameter), 6));
    if (sweep.placements > 1) cells.push_back(row.first->placement);
    for (const double P : {row.no_delay_P, row.delay_P, row.delay_cpu_P})
      cells.push_back(row.first->parallelism ? fixed(P, 3) : "-");
    cells.push_back(fixed(row.simulated_P, 3));
    cells.push_back(seconds_text(row.elapsed_s));
    if (!process.empty()) cells.push_back(fixed(row.queue, 2));
    table.add_row(std::move(cells));
  }
  const bool several = !rows.empty() && rows.front().runs > 1;
  return table.to_text(width) +
         (several ? fmt::format("each row is the mean of {} seeds\n", significant(rows.front().runs, 6)) : "");
}

// The rows of the table.
Json sweep_rows_json(const SweepResult& sweep) {
  const std::string process = longest_queue(sweep);
  Json rows = Json::array();
  for (const auto& row : rows_of(sweep, process)) {
    const bool has_P = row.first->parallelism.has_value();
    rows.push_back({{"parameters", row.first->parameters},
                    {"placement", row.first->placement},
                    {"seeds", row.runs},
                    {"no_delay_P", has_P ? Json(row.no_delay_P) : Json()},
                    {"delay_P", has_P ? Json(row.delay_P) : Json()},
                    {"delay_cpu_P", has_P ? Json(row.delay_cpu_P) : Json()},
                    {"simulated_P", row.simulated_P},
                    {"simulated_elapsed_s", row.elapsed_s}});
    if (!process.empty()) rows.back()["queue_mean"] = {{process, row.queue}};
  }
  return rows;
}

Json sweep_json(const SweepResult& sweep) {
  Json points = Json::array();
  for (const auto& point : sweep.points) {
    Json entry = Json::object();
    for (const auto& [name, value] : point.parameters) entry[name] = value;
    entry.update({{"placement", point.placement},
                  {"seed", point.seed},
                  {"parallelism", point.parallelism ? parallelism_json(*point.parallelism) : Json()},
                  {"simulated_P", point.simulated_P},
                  {"simulated_elapsed_s", point.simulated_elapsed_s},
                  {"messages", point.messages},
                  {"seconds_per_message",
                   point.simulated_elapsed_s / static_cast<double>(std::max<std::uint64_t>(point.messages, 1))},
                  {"queue_mean", point.queue_mean},
                  {"cpu_percent", point.cpu_percent}});
    points.push_back(std::move(entry));
  }
  Json means = Json::array();
  double peak_P = 0, peak_at = 0;
  for (const auto& [value, mean] : means_by_first_parameter(sweep)) {
    means.push_back(
        {{sweep.parameters.front(), value}, {"P", mean.P}, {"queue_mean", mean.queue_mean}, {"runs", mean.runs}});
    if (mean.P > peak_P) {
      peak_P = mean.P;
      peak_at = value;
    }
  }
  return {{"parameters", sweep.parameters},
          {"points", std::move(points)},
          {"rows", sweep_rows_json(sweep)},
          {"means", std::move(means)},
          {"P_peaks_at", peak_at}};
}

std::string matrix_text(const MatrixResult& matrix, int width) {
  std::vector<std::string> headings = {"traced"};
  for (const auto& placement : matrix.placements) headings.push_back(">predicted " + placement);
  TextTable table(headings);
  for (const auto& traced : matrix.placements) {
    std::vector<std::string> row = {traced};
    for (const auto& predicted : matrix.placements) {
      const double worst = matrix.worst_cell(traced, predicted);
      row.push_back(signed_percent(worst, 2));
    }
    table.add_row(std::move(row));
  }
  return table.to_text(width) + "worst of all seeds in each cell, order " + std::string(name_of(matrix.order)) +
         "\noff the diagonal: mean " + percent(matrix.mean_error(), 2) + ", worst " + percent(matrix.worst_error(), 2) +
         "\n";
}

Json matrix_json(const MatrixResult& matrix) {
  Json cells = Json::array();
  for (const auto& cell : matrix.cells)
    cells.push_back({{"traced", cell.traced},
                     {"predicted", cell.predicted},
                     {"seed", cell.seed},
                     {"predicted_P", cell.predicted_P},
                     {"simulated_P", cell.simulated_P},
                     {"predicted_elapsed_s", cell.predicted_elapsed_s},
                     {"simulated_elapsed_s", cell.simulated_elapsed_s},
                     {"error", cell.error()}});
  Json worst = Json::array();
  for (const auto& traced : matrix.placements)
    for (const auto& predicted : matrix.placements)
      worst.push_back({{"traced", traced}, {"predicted", predicted}, {"error", matrix.worst_cell(traced, predicted)}});
  return {{"placements", matrix.placements},
          {"order", name_of(matrix.order)},
          {"mean_error", matrix.mean_error()},
          {"worst_error", matrix.worst_error()},
          {"identity_error", matrix.identity_error()},
          {"worst", std::move(worst)},
          {"cells", std::move(cells)}};
}

bool Comparison::agrees() const { return std::fabs(obtained - published.value) <= published.within; }

std::string comparison_text(const std::vector<Comparison>& comparisons, int width) {
  TextTable table({"figure", "quantity", ">published", ">obtained", ">within", ""});
  for (const auto& c : comparisons)
    table.add_row({c.published.figure, c.published.label, significant(c.published.value, 6), significant(c.obtained),
                   significant(c.published.within, 6), c.agrees() ? "agrees" : "differs"});
  return table.to_text(width);
}

Json comparison_json(const std::vector<Comparison>& comparisons) {
  Json list = Json::array();
  for (const auto& c : comparisons)
    list.push_back({{"label", c.published.label},
                    {"figure", c.published.figure},
                    {"quantity", c.published.quantity},
                    {"published", c.published.value},
                    {"obtained", c.obtained},
                    {"within", c.published.within},
                    {"agrees", c.agrees()}});
  return list;
}

}  // namespace dpm::cli
