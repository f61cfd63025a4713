// links: dpm_model
// What batches are worth: the same events into a sink that adds up bytes, in batches of 64 and one call for each event.
#include <cstdio>
#include <vector>

#include "bench/measure.hpp"
#include "model/event_source.hpp"

namespace {

class SumOfBytes : public dpm::EventSink {
 public:
  void on_begin(const dpm::TraceInfo&) override {}
  // As opaque to the compiler as a sink in another folder: it neither inlines nor predicts the call.
  [[gnu::noipa]] void on_events(std::span<const dpm::Event> batch) override {
    for (const auto& event : batch) bytes_ += event.length_bytes;
  }
  void on_end(const dpm::LossReport&) override {}
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

void push(std::span<const dpm::Event> events, std::size_t batch_events, dpm::EventSink& sink) {
  for (std::size_t first = 0; first < events.size(); first += batch_events) {
    sink.on_events(events.subspan(first, std::min(batch_events, events.size() - first)));
  }
}

}  // namespace

int main() {
  constexpr std::uint64_t kEvents = 20'000;
  std::vector<dpm::Event> events(kEvents);
  for (std::uint64_t number = 0; number < kEvents; ++number)
    events[number].length_bytes = static_cast<std::uint32_t>(number % 1500);

  SumOfBytes in_batches, one_by_one;
  dpm::print_ratio("pushing events", dpm::Way{"batches of 64", [&] { push(events, 64, in_batches); }},
                   dpm::Way{"single events", [&] { push(events, 1, one_by_one); }}, kEvents, "event");
  if (in_batches.bytes() != one_by_one.bytes()) {
    std::fprintf(stderr, "bench_batches: the two ways disagree\n");
    return 1;
  }
  return 0;
}
