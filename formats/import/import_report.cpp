#include "formats/import/import_report.hpp"

#include <fmt/format.h>

namespace dpm {

ImportUnknownText text_of(ImportUnknown unknown) {
  switch (unknown) {
    case ImportUnknown::times:
      return {"times (events have only an order)", "rates, queues, blame, clocks, durations"};
    case ImportUnknown::parts_of_second:
      return {"times below a second", "shorter durations"};
    case ImportUnknown::returns:
      return {"when calls returned", "waits that the recording does not show"};
    case ImportUnknown::arrivals:
      return {"when messages arrived (inferred)", "transit times of messages"};
    case ImportUnknown::cpu_times:
      return {"CPU times", "parallelism, predict, twin, schedule"};
    case ImportUnknown::cpu_waits:
      return {"waits for the CPU and the disk", "these parts of blame"};
    case ImportUnknown::sizes:
      return {"sizes of messages", "bytes"};
  }
  return {};
}

std::vector<std::string> warnings_of(const ImportReport& report) {
  std::vector<std::string> warnings;
  for (const ImportRow& row : report.left_out) warnings.push_back(fmt::format("left out: {} {}", row.count, row.what));
  for (const std::string& note : report.notes) warnings.push_back(note);
  for (const ImportUnknown unknown : report.unknown)
    warnings.push_back(
        fmt::format("not known: {}; so not possible: {}", text_of(unknown).what, text_of(unknown).forbids));
  return warnings;
}

}  // namespace dpm
