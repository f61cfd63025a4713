// The results of a ResultsRecorder as one file, which is replaced as a whole each time.
//
//     "dpm-results\n"  version  shape  checksum  4 sizes  |  JSON  |  statistics  |  queues  |  waits
//
// The JSON has the tables of a trace, the ledger, and what the page shows. The rest is as the analyses give it to another process
// (model/divided_sink.hpp), so a file is for the same version of dpm, on the same kind of machine: `shape` tells others.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "answers/kept/results_recorder.hpp"
#include "answers/reading/trace_input.hpp"
#include "model/divided_sink.hpp"
#include "model/ledger.hpp"
#include "trace/kept_results.hpp"

namespace dpm::cli {

// `is_over`: nothing will be added.
Result<void> write_results(const std::string& path, ResultsRecorder& recorder, const Ledger& ledger, bool is_over);

struct KeptResults {
  TraceInfo info;
  Ledger ledger;
  bool is_over = false;
  nlohmann::ordered_json page;  // the data of the page (view/report-file.md); null: no event
  StatisticsAnalysis statistics;
  QueueAnalysis queues;
  ProcessWaits waits;
};
// Refuses files of another version, and damaged ones.
Result<std::unique_ptr<KeptResults>> read_results(const std::string& path);

}  // namespace dpm::cli
