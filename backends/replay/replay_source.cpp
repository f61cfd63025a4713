#include "backends/replay/replay_source.hpp"

#include "trace/trace_reader.hpp"

namespace dpm {

ReplaySource::ReplaySource(std::string trace_directory) : directory_(std::move(trace_directory)) {}
ReplaySource::~ReplaySource() = default;

Result<void> ReplaySource::run(EventSink& sink) {
  if (reader_ == nullptr || !reader_->is_held_open()) {
    auto trace = TraceReader::open(directory_);
    if (!trace) return trace.error();
    reader_ = std::make_unique<TraceReader>(*std::move(trace));
  }
  info_ = reader_->info();
  sink.on_begin(info_);
  const LossReport losses = reader_->read([&](std::span<const Event> batch) { sink.on_events(batch); });
  ledger_ = reader_->ledger();
  sink.on_end(losses);
  return {};
}

}  // namespace dpm
