// A command that several workers can run together.
#pragma once

#include <cstdint>

#include "answers/reading/trace_reading.hpp"
#include "cli/command.hpp"

namespace dpm::cli {

class DividedCommand : public Command {
 public:
  // `reading` outlives it.
  void read_with(TraceReading& reading) { reading_ = &reading; }

 protected:
  // The option -j, which the program looks for before it starts workers (cli/divided/divided_run.hpp).
  void describe_jobs(Options& options) {
    options.value("-j,--jobs", jobs_, "How many threads analyse parts of the trace at the same time (default: 1)")
        .check(whole_number);
  }

  // Null: it reads traces itself.
  TraceReading* reading() const { return reading_; }

 private:
  TraceReading* reading_ = nullptr;
  std::uint32_t jobs_ = 1;
};

}  // namespace dpm::cli
