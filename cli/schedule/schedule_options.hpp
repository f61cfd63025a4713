// The options of feedback scheduling, as `dpm schedule`, `dpm meter` and `dpm acquire` take them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "model/delay_model.hpp"
#include "model/result.hpp"
#include "model/time.hpp"
#include "scheduling/placing/topology.hpp"
#include "scheduling/policies/interface/policy.hpp"

namespace dpm::cli {

struct SchedulePlan {
  std::string policy;
  std::string kind;  // of the places
  std::vector<CpuPlace> places;
  PolicyOptions options;
  std::optional<DelayModel> delays;  // none: measured
  Duration window, settling;
  bool dry_run = false;
};

class ScheduleOptions {
 public:
  // Adds --schedule, which the others need.
  void describe_optional(Options& options);
  // Adds --policy.
  void describe(Options& options);

  bool is_given() const { return !policy_.empty(); }
  // Refuses an unknown policy, too few places, and files that are wrong.
  Result<SchedulePlan> plan() const;

 private:
  void describe_others(Options& options, std::optional<Option> needed);

  std::string policy_, kind_ = "cores", placement_, delays_, window_ = "2s";
  double gain_min_percent_ = 3;
  bool dry_run_ = false;
};

}  // namespace dpm::cli
