// links: dpm_trace dpm_model
// The stream of meter messages comes over the network: whatever arrives, cut anywhere, ids that are passed on are in
// the tables and every event is counted. The first byte chooses how the input is cut.
#include "trace/meter_stream.hpp"

#include <algorithm>

#include "model/check.hpp"

namespace {

struct CheckingSink : dpm::EventSink {
  const dpm::TraceInfo* info = nullptr;
  std::uint64_t events = 0;
  int ends = 0;
  void on_begin(const dpm::TraceInfo& described) override {
    DPM_CHECK(info == nullptr);
    info = &described;
  }
  void on_events(std::span<const dpm::Event> batch) override {
    for (const auto& event : batch) {
      DPM_CHECK((*info)[event.process].name.size() <= dpm::kStreamMessageBytesMax);
      DPM_CHECK(event.machine.value < info->machines.size());
      if (!event.peer.is_none()) (void)(*info)[event.peer];
      if (!event.channel.is_none()) (void)(*info)[event.channel];
    }
    events += batch.size();
  }
  void on_end(const dpm::LossReport& losses) override {
    DPM_CHECK(ends++ == 0 && info != nullptr);
    DPM_CHECK(losses.seen == events + losses.lost());
    for (const auto& channel : info->channels)
      DPM_CHECK(channel.owner.is_none() || channel.owner.value < info->processes.size());
    for (const auto& process : info->processes)
      DPM_CHECK(process.group.is_none() || process.group.value < info->processes.size());
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span input(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  CheckingSink sink;
  dpm::MeterStreamReader reader(sink);
  const std::size_t piece = std::size_t{1} + data[0];
  for (std::size_t i = 0; i < input.size(); i += piece)
    reader.feed(input.subspan(i, std::min(piece, input.size() - i)));
  reader.end();
  DPM_CHECK(sink.ends == 1);
  return 0;
}
