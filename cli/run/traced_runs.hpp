// The simulations that prediction matrices need. Matrices often differ only in the order of receives or the method, so a
// run that several of them need is simulated once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/history/history.hpp"
#include "cli/run/simulation.hpp"
#include "scenarios/scenario_file.hpp"

namespace dpm::cli {

// A run of one placement with all processes in the computation: only then are all arrivals known.
struct TracedRun {
  History history;
  double simulated_P = 0;
  double simulated_elapsed_s = 0;
};

class TracedRuns {
 public:
  // `matrices` are all matrices that will request runs, each once.
  explicit TracedRuns(const std::vector<const PredictionMatrix*>& matrices);

  // `scenario` is placed as one of the matrix's placements, with one of its seeds.
  Result<std::shared_ptr<const TracedRun>> run(const PredictionMatrix& matrix, const Scenario& scenario,
                                               const Progressing& progress);

 private:
  // Parameters, processes, placement, seed.
  using Key = std::tuple<std::map<std::string, double>, std::vector<std::string>, std::string, std::uint64_t>;
  struct One {
    std::size_t asked = 0;  // number of requests still to come
    std::shared_ptr<const TracedRun> run;
  };

  std::map<Key, One> all_;
  std::size_t kept_events_ = 0;
};

}  // namespace dpm::cli
