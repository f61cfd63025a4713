// What this machine's capabilities mean for metering, and what to do about them: a pure function, so that tests can try
// machines that are not at hand.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "os/kernel/capabilities.hpp"

namespace dpm::cli {

enum class Verdict {
  good,     // as it should be
  note,     // worth knowing
  limited,  // metering works, with something missing
  missing,  // metering does not work
};

struct Check {
  std::string name;
  Verdict verdict = Verdict::good;
  std::string found;   // short enough for a table
  std::string advice;  // what to do; empty: nothing
};

using Diagnosis = std::vector<Check>;

// Processes and threads of a meter: supervisor, keeper, their threads, and the trial at the start.
constexpr unsigned kMeterTasks = 8;

Diagnosis diagnose(const MachineCapabilities& machine);
bool can_meter(const Diagnosis& diagnosis);

std::string diagnosis_text(const Diagnosis& diagnosis, int width);
nlohmann::ordered_json diagnosis_json(const Diagnosis& diagnosis, const MachineCapabilities& machine);

}  // namespace dpm::cli
