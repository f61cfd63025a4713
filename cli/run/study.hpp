// The further runs of a scenario's study: sweeps over parameters, and the matrix of predictions against simulations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/parallelism/parallelism.hpp"
#include "analysis/prediction/prediction.hpp"
#include "analysis/queues/queues.hpp"
#include "cli/run/traced_runs.hpp"
#include "scenarios/scenario_file.hpp"
#include "text/terminal.hpp"

namespace dpm::cli {

struct SweepPoint {
  std::map<std::string, double> parameters;  // only the swept parameters
  std::string placement;
  std::uint64_t seed = 0;
  std::optional<Parallelism> parallelism;  // of the run's own trace; none if nothing was computed
  double simulated_P = 0;                  // T / makespan of the computation, as the simulator saw it
  double simulated_elapsed_s = 0;
  std::uint64_t messages = 0;                 // delivered
  std::map<std::string, double> queue_mean;   // by process of the computation
  std::map<std::string, double> cpu_percent;  // likewise
};

struct SweepResult {
  std::string name;
  std::vector<std::string> parameters;
  std::size_t placements = 1;  // number of different placements
  std::vector<SweepPoint> points;
};

// One cell of the matrix: the prediction for one placement from the trace of another, compared with a simulation.
struct MatrixCell {
  std::string traced, predicted;
  std::uint64_t seed = 0;
  double predicted_P = 0, simulated_P = 0;
  double predicted_elapsed_s = 0, simulated_elapsed_s = 0;
  double error() const { return predicted_P / simulated_P - 1; }
};

struct MatrixResult {
  std::string name;
  std::vector<std::string> placements;
  std::optional<Order> order;  // none: chosen for each process
  std::vector<MatrixCell> cells;

  // The largest error of one cell over all seeds.
  double worst_cell(const std::string& traced_placement, const std::string& predicted_placement) const;
  double mean_error() const;      // mean |error| off the diagonal
  double worst_error() const;     // largest |error| off the diagonal
  double identity_error() const;  // largest |error| on the diagonal
};

// The process of the computation with the longest mean queue in any of the runs; empty if no queue was measured.
std::string longest_queue(const SweepResult& sweep);

// `analyses` of the file say which processes P is about, and by which method.
Result<SweepResult> run_sweep(const ScenarioFile& file, const Overrides& base, const Sweep& sweep, const Say& say);
Result<MatrixResult> run_matrix(const ScenarioFile& file, const Overrides& base, const PredictionMatrix& matrix,
                                TracedRuns& traced, const Say& say);

}  // namespace dpm::cli
