// The keys of a program and of what it is made of. Those of steps are in step_tables.hpp.
#pragma once

#include "scenarios/document/reading.hpp"

namespace dpm {

struct ProgramTables {
  KeyTable program{"program",
                   "a program",
                   {"summary", "parameters", "variables", "request_variables", "subscriptions", "per_request", "admits",
                    "queue", "start", "on", "idle"}};
  KeyTable admission{"admission", "a limit of messages", {"from", "at_most"}};
  KeyTable distribution{"distribution",
                        "a distribution",
                        {"uniform", "exponential", "normal", "log_normal", "pareto", "choice", "measured", "weights"}};
  KeyTable normal{"normal", "a normal distribution", {"mean", "sd"}};
  KeyTable log_normal{"log_normal", "a log-normal distribution", {"median", "mean", "sigma"}};
  KeyTable pareto{"pareto", "a Pareto distribution", {"scale", "shape", "at_most"}};
};

inline const ProgramTables& program_tables() {
  static const ProgramTables tables;
  return tables;
}

}  // namespace dpm
