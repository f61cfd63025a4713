// How a command reads a trace, where it does not read all of it by itself: a part of the trace (part_reading.hpp), or all of it
// together with other workers that run the same command (answers/parallel). Of these the first has the results and prints them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "answers/reading/trace_input.hpp"

namespace dpm {
class StepWorkers;
}

namespace dpm::cli {

class TraceReading {
 public:
  virtual ~TraceReading() = default;

  // As read_trace(). An error where this worker has nothing to do after its part.
  virtual Result<TraceInput> read(const std::string& path, const std::vector<EventSink*>& sinks) = 0;

  // ---- where several workers read together
  // Whether this one prints results and writes files.
  virtual bool is_first() const { return true; }
  // An error of one is the error of all. `text` must be that of the first: what this one has read that they must have in common.
  virtual Result<void> agree_on(const Result<std::string>& text) {
    return text ? Result<void>() : Result<void>(text.error());
  }
  // The workers that pass through a history together, each with its share of it.
  virtual StepWorkers* steps() { return nullptr; }
  // `numbers[i] = number_of(i)` for i < count: all ask for the same, and each does its share.
  virtual std::vector<double> shared(std::size_t count, const std::function<double(std::size_t)>& number_of) {
    std::vector<double> numbers;
    for (std::size_t i = 0; i < count; ++i) numbers.push_back(number_of(i));
    return numbers;
  }
};

}  // namespace dpm::cli
