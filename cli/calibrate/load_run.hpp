// Runs a load (load.hpp) in its own process, bare or metered.
#pragma once

#include <string>
#include <vector>

#include "cli/calibrate/load.hpp"
#include "model/result.hpp"

namespace dpm::cli {

// The words after `dpm calibrate` that run one load, and the plan that they encode.
std::vector<std::string> words_of(const LoadPlan& plan);
Result<LoadPlan> plan_from_words(const std::vector<std::string>& words);

// CPU times as the trace has them, per message (ping-pong: per round trip), between the first call and the last.
struct MeteredFigures {
  double sender_cpu_s = 0;
  double receiver_cpu_s = 0;
  double elapsed_s = 0;

  double cpu_s() const { return sender_cpu_s + receiver_cpu_s; }
};

class LoadRunner {
 public:
  // Runs this program again as a load. Traces go to `folder`, one after the other. `source` meters: the name of a
  // MeteringMethod, or empty for the default. With `aside` the load does not wait for the meter, which may then run on any core,
  // and the loads keep the scheduling policy of this process.
  explicit LoadRunner(std::string folder, std::string source = "", bool aside = false)
      : folder_(std::move(folder)), source_(std::move(source)), aside_(aside) {}

  Result<LoadFigures> run(const LoadPlan& plan);
  // The run that a metered run is compared with. Both have the default scheduling policy, whatever the policy of this
  // process is: only then does the kernel move a meter to the CPU of the call. Not so with a meter aside.
  Result<LoadFigures> run_ordinary(const LoadPlan& plan);
  Result<MeteredFigures> run_metered(const LoadPlan& plan);

 private:
  Result<LoadFigures> start(const std::vector<std::string>& before, const LoadPlan& plan);

  std::string folder_, source_;
  bool aside_ = false;
  int runs_ = 0;
};

}  // namespace dpm::cli
