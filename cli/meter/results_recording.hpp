// Meters a program without a trace: its results go to one file (answers/kept), which is brought up to date from time to time.
#pragma once

#include <functional>
#include <string>

#include "analysis/statistics/statistics.hpp"
#include "cli/meter/metering.hpp"

namespace dpm::cli {

struct ResultsRecorded {
  Recorded recorded;
  Statistics statistics;  // of processes, threads summed
};

struct ResultsSurroundings {
  std::string file;               // absolute
  std::vector<int> stop_signals;  // end the metering instead of this process
  // As in RecordingSurroundings. The file is complete so far.
  std::function<void(const std::vector<ProcessLeft>&)> on_left_behind;
};

// As record(). An error means that nothing was recorded, or that the file could not be written at the end.
Result<ResultsRecorded> record_results(MeteredRun& run, RecordingPlan plan, const ResultsSurroundings& around);

}  // namespace dpm::cli
