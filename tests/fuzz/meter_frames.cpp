// links: dpm_collector dpm_link dpm_frames dpm_merge dpm_trace dpm_model
// What comes over an authenticated connection is not trusted either: whatever it is, both ends of the meter protocol
// refuse or count it, and what the collector passes on is a stream that filters understand. The first byte says which
// end it comes to.
#include "control/transport/collector/merged_stream.hpp"
#include "control/transport/link/link_buffer.hpp"
#include "model/check.hpp"

namespace {

using namespace dpm;

struct Counting : EventSink {
  std::uint64_t events = 0;
  LossReport losses;
  void on_begin(const TraceInfo&) override {}
  void on_events(std::span<const Event> batch) override { events += batch.size(); }
  void on_end(const LossReport& report) override { losses = report; }
};

void to_collector(FrameReader& frames) {
  MergedStream merged;
  std::optional<std::uint32_t> meter;
  while (true) {
    auto frame = frames.next();
    if (!frame || !frame->has_value()) break;
    auto parsed = wire::parse_meter_frame(*std::move(*frame));
    if (!parsed) break;
    if (const auto* hello = std::get_if<wire::Hello>(&*parsed)) {
      const auto registered = merged.register_meter(*hello, {"red", hello->identity.job});
      if (!registered) break;
      meter = registered->meter;
    } else if (!meter || !merged.take(*meter, *std::move(parsed))) {
      break;
    }
  }
  merged.finish();
  Counting sink;
  MeterStreamReader reader(sink);
  reader.feed(std::as_bytes(std::span(merged.waiting())));
  reader.end();
  DPM_CHECK(!reader.is_stopped());
  DPM_CHECK(sink.losses.seen == sink.events + sink.losses.lost());
  merged.passed(merged.waiting().size());
}

void to_meter(FrameReader& frames) {
  TraceInfo info;
  info.machines.push_back({"red", 1});
  info.processes.push_back({"p", "p", MachineId{0}, 0, true});
  Event event;
  event.process = ProcessId{0};
  event.machine = MachineId{0};
  LinkBuffer buffer(wire::MeterKey{}, {"red", 1, "job", "p"}, 64, Spool("", 0), NamesStore(""));
  buffer.tell(TraceGrowth::since({}, info));
  const std::vector<Event> events(40, event);
  DPM_CHECK(buffer.append(events) == 40);
  buffer.end({40, 0, {}, {}});
  (void)buffer.greeting();
  std::string out;
  while (true) {
    auto frame = frames.next();
    if (!frame || !frame->has_value() || !buffer.take(*std::move(*frame))) break;
    buffer.produce(out, 4096);
    DPM_CHECK(buffer.confirmed() <= buffer.recorded() && buffer.unsent() <= buffer.recorded());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  FrameReader frames(wire::kMeterFrameBodyBytesMax);
  frames.feed({reinterpret_cast<const char*>(data) + 1, size - 1});
  data[0] % 2 == 0 ? to_collector(frames) : to_meter(frames);
  return 0;
}
