// The beginning of every claim in C++: its main() is one call of run_claim_program().
//
//     validation_CLAIM [--quick] [--plant NAME] --dpm PROGRAM --result FILE
//
// measure() fills in the figures that claim.json names, and tables and plots for the report. It reports progress with
// say(), throws std::exception when it cannot continue, and judges nothing: `dpm validate` does that.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/validate/claim_result.hpp"

namespace dpm::validation {

using cli::ClaimResult;
using cli::PlotKind;
using cli::PlotPoint;
using cli::PlotSeries;
using cli::ResultPlot;
using cli::ResultTable;

struct Asked {
  bool quick = false;  // the same figures from fewer cases, in seconds
  std::string plant;   // the error to plant; empty: none
  std::string dpm;     // the program dpm
};

struct ClaimProgram {
  std::vector<std::string> plants;  // errors it can plant in what it measures, to see that the claim can fail
  std::function<ClaimResult(const Asked&)> measure;
};

// The exit status: 0 when the result is written, 2 for a wrong command line, 1 otherwise.
int run_claim_program(int argc, char** argv, const ClaimProgram& program);

// A line of progress on standard error.
void say(const std::string& what);

// "0.12 %" of a fraction; the other with a sign, unless it rounds to nothing.
std::string percent_text(double fraction, int decimals = 2);
std::string signed_text(double fraction, int decimals = 2);
// "1.8e-15", "0.01": the shortest form that reads back the same.
std::string number_text(double value);

}  // namespace dpm::validation
