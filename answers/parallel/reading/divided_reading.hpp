// Reads a trace in parts: each worker reads the events of its processes into its own analyses, and the first worker takes what
// the others have found (model/divided_sink.hpp).
//
// What cannot be read in parts, or whose result depends on the order between processes, is for one worker alone: why_alone()
// says why, the reading returns an error, and the command must be run again without this. So there is never a result that
// differs from that of one process.
#pragma once

#include <optional>
#include <string>

#include "answers/parallel/ranks/ranks.hpp"
#include "answers/parallel/reading/divided_passes.hpp"
#include "answers/reading/trace_input.hpp"
#include "answers/reading/trace_reading.hpp"
#include "model/divided_sink.hpp"
#include "trace/trace_reader.hpp"

namespace dpm {

// Which workers need what all have found.
enum class Takers : std::uint8_t { first, everyone };

class DividedReading : public cli::TraceReading {
 public:
  DividedReading(Ranks& ranks, Takers takers)
      : ranks_(ranks), takers_(takers), passes_(ranks, [this](const std::string& why) { return alone(why); }) {}

  Result<cli::TraceInput> read(const std::string& path, const std::vector<EventSink*>& sinks) override;
  bool is_first() const override { return ranks_.is_first(); }
  Result<void> agree_on(const Result<std::string>& text) override;
  StepWorkers* steps() override { return &passes_; }
  std::vector<double> shared(std::size_t count, const std::function<double(std::size_t)>& number_of) override;

  // Empty: the result of this command is that of the whole trace.
  const std::string& why_alone() const { return why_alone_; }

 private:
  Result<void> agree(const Result<void>& own);
  bool all_of(bool own);
  Error alone(const std::string& why);
  Result<PacketIndex> index_of(const std::string& directory, const TraceReader& reader);
  Result<cli::TraceInput> read_parts(const std::string& directory, TraceReader& reader,
                                     const std::vector<DividedSink*>& sinks);
  void exchange(const Shares& shares, const std::vector<DividedSink*>& sinks);
  void bring_together(const std::vector<DividedSink*>& sinks);

  Ranks& ranks_;
  const Takers takers_;
  DividedPasses passes_;
  std::string why_alone_;
  bool has_given_ = false;  // this worker its findings to the first, so that it has no result itself
};

}  // namespace dpm
