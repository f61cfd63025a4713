// The status of a running meter: a line of text, because a meter and the dpm that asks it may have different versions.
//
//     pid=100 events=2344 lost=0 since=1790000000 flags=send,receive output=/srv/out command=redis-server --port 0
//
// A reader ignores unknown words; `command` is the rest of the line. In `output`, bytes that would
// end the word are escaped, as in %20.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/meter_flags.hpp"
#include "model/result.hpp"

namespace dpm {

struct MeterStatus {
  std::uint32_t pid = 0;  // the program's first process
  std::string command;
  MeterFlags flags;
  std::uint64_t events = 0;  // so far
  std::uint64_t lost = 0;
  std::int64_t since_s = 0;  // metered since, in seconds of the machine's calendar
  std::string output;        // the directory of trace and report, or the file of results; empty: none is kept
};

std::string to_line(const MeterStatus& status);
Result<MeterStatus> status_from_line(std::string_view line);

}  // namespace dpm
