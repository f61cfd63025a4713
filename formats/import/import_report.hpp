// What became of a recording: what was read, what was left out and why, and what the result does not tell.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/ledger.hpp"

namespace dpm {

enum class ImportUnknown : std::uint8_t {
  times,            // only the order of events
  parts_of_second,  // times are whole seconds
  returns,          // when calls returned
  arrivals,         // when messages arrived
  cpu_times,
  cpu_waits,  // for the CPU and the disk
  sizes,      // of messages
};

struct ImportUnknownText {
  std::string_view what;     // "CPU times"
  std::string_view forbids;  // what is not possible then
};
ImportUnknownText text_of(ImportUnknown unknown);

struct ImportRow {
  std::string what;  // in the plural, with the reason: "spans that had not ended"
  std::uint64_t count = 0;
};

struct ImportReport {
  std::vector<ImportRow> read;
  std::vector<ImportRow> left_out;  // those with a count
  std::vector<std::string> notes;   // what was inferred, in whole sentences
  std::vector<ImportUnknown> unknown;
  std::string no_messages;  // why there is no message, if there is none

  // A row if it counts anything.
  void leave_out(std::string what, std::uint64_t count) {
    if (count > 0) left_out.push_back({std::move(what), count});
  }
};

// The report as warnings of the trace.
std::vector<std::string> warnings_of(const ImportReport& report);

}  // namespace dpm
