#include "cli/run/study_results.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/results/parallelism_results.hpp"
#include "cli/run/requests.hpp"
#include "cli/text_table.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

bool differs(const SweepResult& sweep, auto field) {
  for (const auto& point : sweep.points)
    if (field(point) != field(sweep.points.front())) return true;
  return false;
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
  const bool placements = sweep.placements > 1;
  const bool seeds = differs(sweep, [](const SweepPoint& p) { return p.seed; });
  std::vector<std::string> headings;
  for (const auto& parameter : sweep.parameters) headings.push_back(">" + parameter);
  if (placements) headings.push_back("placement");
  if (seeds) headings.push_back(">seed");
  for (const char* heading : {">P no delay", ">P delay", ">P delay+CPU", ">P simulated", ">elapsed", ">longest queue"})
    headings.push_back(heading);
  headings.push_back("of process");
  TextTable table(headings);
  for (const auto& point : sweep.points) {
    std::vector<std::string> row;
    for (const auto& parameter : sweep.parameters) row.push_back(short_number(point.parameters.at(parameter)));
    if (placements) row.push_back(point.placement);
    if (seeds) row.push_back(std::to_string(point.seed));
    const auto longest = std::max_element(point.queue_mean.begin(), point.queue_mean.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    const bool none = longest == point.queue_mean.end();
    const auto P = [&](ParallelismStep Parallelism::*step) {
      return point.parallelism ? fixed(((*point.parallelism).*step).P, 3) : "-";
    };
    row.insert(row.end(), {P(&Parallelism::no_delay), P(&Parallelism::delay), P(&Parallelism::delay_cpu),
                           fixed(point.simulated_P, 3), seconds_text(point.simulated_elapsed_s),
                           none ? "-" : fixed(longest->second, 2), none ? "" : longest->first});
    table.add_row(std::move(row));
  }
  return table.to_text(width);
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
                  {"seconds_per_message", point.simulated_elapsed_s / static_cast<double>(std::max<std::uint64_t>(point.messages, 1))},
                  {"queue_mean", point.queue_mean},
                  {"cpu_percent", point.cpu_percent}});
    points.push_back(std::move(entry));
  }
  Json means = Json::array();
  double peak_P = 0, peak_at = 0;
  for (const auto& [value, mean] : means_by_first_parameter(sweep)) {
    means.push_back({{sweep.parameters.front(), value}, {"P", mean.P}, {"queue_mean", mean.queue_mean}, {"runs", mean.runs}});
    if (mean.P > peak_P) {
      peak_P = mean.P;
      peak_at = value;
    }
  }
  return {{"parameters", sweep.parameters}, {"points", std::move(points)}, {"means", std::move(means)}, {"P_peaks_at", peak_at}};
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
         "; off the diagonal: mean " + percent(matrix.mean_error(), 2) + ", worst " + percent(matrix.worst_error(), 2) + "\n";
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
  return {{"placements", matrix.placements},     {"order", name_of(matrix.order)},
          {"mean_error", matrix.mean_error()},   {"worst_error", matrix.worst_error()},
          {"identity_error", matrix.identity_error()}, {"cells", std::move(cells)}};
}

bool Comparison::agrees() const { return std::fabs(obtained - published.value) <= published.within; }

std::string comparison_text(const std::vector<Comparison>& comparisons, int width) {
  TextTable table({"figure", "quantity", ">published", ">obtained", ">within", ""});
  for (const auto& c : comparisons)
    table.add_row({c.published.figure, c.published.label, short_number(c.published.value), significant(c.obtained),
                   short_number(c.published.within), c.agrees() ? "agrees" : "differs"});
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
