// Steps one and two of P by several workers: some do one step, the others the other. Those of one step pass through the
// processes that each has, and exchange what these exchanged.
#pragma once

#include "analysis/parallelism/parallelism.hpp"
#include "parallel/ranks/ranks.hpp"

namespace dpm {

class DividedPasses : public StepWorkers {
 public:
  explicit DividedPasses(Ranks& ranks) : ranks_(ranks) {}

  bool is_first() const override { return ranks_.is_first(); }
  void pass(const History& history, MessageCosts& costs, bool with_first) override;
  StepPaths paths() override;

 private:
  Ranks& ranks_;
  StepPaths own_;                         // what this worker found of each
  std::vector<std::uint32_t> reporting_;  // the others that pass
};

}  // namespace dpm
