#include "backends/replay/replay_source.hpp"

#include "trace/trace_reader.hpp"

namespace dpm {

Result<void> ReplaySource::run(EventSink& sink) {
  auto trace = TraceReader::open(directory_);
  if (!trace) return trace.error();
  info_ = trace->info();
  sink.on_begin(info_);
  const LossReport losses = trace->read([&](std::span<const Event> batch) { sink.on_events(batch); });
  ledger_ = trace->ledger();
  sink.on_end(losses);
  return {};
}

}  // namespace dpm
