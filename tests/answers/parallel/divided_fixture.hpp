// Commands that several workers run together, beside the same command of one alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/memory_source.hpp"
#include "trace/trace_form.hpp"

namespace dpm::test {

using CommandLine = std::vector<std::string>;  // without the trace

void write_trace(const std::string& directory, const Recording& recording, const TraceForm& form = {},
                 std::size_t packet_events = 40);

struct Printed {
  int status = 0;
  std::string out, err;
};

Printed alone(const CommandLine& line, const std::string& trace);
// By threads.
Printed together(std::uint32_t workers, const CommandLine& line, const std::string& trace);

// Checks that both print the same. Returns whether a worker had to do it alone.
bool check_same(const std::string& trace, const CommandLine& line, std::uint32_t workers);

// A random computation.
Recording recording_of(std::uint64_t seed);

}  // namespace dpm::test
