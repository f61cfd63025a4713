#include "answers/reading/event_progress.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::cli;

namespace {

class CountingSink : public EventSink {
 public:
  void on_begin(const TraceInfo&) override {}
  void on_events(std::span<const Event> batch) override { events += batch.size(); }
  void on_end(const LossReport&) override { ended = true; }
  std::size_t events = 0;
  bool ended = false;
};

// `batches` of a thousand events, a tenth of a second apart; their machine's clock shows as many seconds.
std::vector<std::string> said_of(int batches, EventProgress::End end, std::int64_t clock_ns = 0) {
  CountingSink sink;
  std::vector<std::string> said;
  double now_s = 100;
  EventProgress progress(
      sink, [&](const std::string& what) { said.push_back(what); }, "simulating", end, [&] { return now_s; });
  std::vector<Event> events(1000);
  events.front().local_time = LocalTime{clock_ns};
  for (int i = 1; i <= batches; ++i) {
    now_s += .1;
    events.back().local_time = LocalTime{clock_ns + i * 1'000'000'000LL};
    progress.on_events(events);
  }
  progress.on_end({});
  CHECK(sink.events == static_cast<std::size_t>(batches) * 1000);
  CHECK(sink.ended);
  return said;
}

}  // namespace

TEST_CASE("event progress: simulated time, events and their rate, four times a second at most", "[cli]") {
  const auto said = said_of(6, {});
  REQUIRE(said.size() == 2);
  CHECK(said[0] == "simulating: 3.00 s, 3000 events, 10000 a second");
  CHECK(said[1] == "simulating: 6.00 s, 6000 events, 10000 a second");
}

TEST_CASE("event progress: a percentage where the end is known", "[cli]") {
  CHECK(said_of(3, {.time_s = 12}).at(0) == "simulating: 3.00 s of 12.00 s (25 %), 3000 events, 10000 a second");
  CHECK(said_of(3, {.events = 6000}).at(0) == "simulating: 3.00 s, 3000 events (50 %), 10000 a second");
}

TEST_CASE("event progress: the time is one of the run, whatever the machine's clock says", "[cli]") {
  CHECK(said_of(3, {}, 1'795'916'943'440'000'000) == said_of(3, {}));
}

TEST_CASE("event progress: work that is done at once says nothing", "[cli]") { CHECK(said_of(2, {}).empty()); }
