// links: dpm_answers_live dpm_filter dpm_trace
// What levels cost an event, beside reading it, and what a picture of a window costs, beside reading the whole trace again.
// `bench_levels EVENTS` (default 10^6) writes a trace of about that many events to a temporary folder.
// Goals: 10^7 events are read into levels in 2 s; any picture of them takes at most 100 ms, and 64 MB.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <future>

#include "answers/live/live_trace.hpp"
#include "bench/measure.hpp"
#include "bench/synthetic_events.hpp"
#include "bench/timed_events.hpp"
#include "filter/event_filter.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_follower.hpp"
#include "trace/trace_writer.hpp"

namespace {

using namespace dpm;

std::string write(std::uint64_t events) {
  const auto folder = std::filesystem::temp_directory_path() / ("dpm-bench-levels-" + std::to_string(::getpid()));
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  auto writer = TraceWriter::create(folder.string(), describe_events({"filter"}, rules)).value();
  EventFilter filter(std::move(rules), *writer);
  Timed timed(filter);
  (void)SyntheticEvents(events, 20, 80, 4).run(timed);
  return folder.string();
}

std::uint64_t read_only(const std::string& trace) {
  auto follower = TraceFollower::open(trace).value();
  std::uint64_t sum = 0;
  follower.poll([&](std::span<const Event> batch) { sum += batch.size(); }, ~std::uint64_t{0});
  return sum;
}

view::Answer answer_of(cli::LiveTrace& live, const view::PageRequest& request) {
  std::promise<Result<view::Answer>> answer;
  live.answer(request, [&](Result<view::Answer> found) { answer.set_value(std::move(found)); });
  return answer.get_future().get().value();
}

void print_picture(cli::LiveTrace& live, const std::string& name, const view::Json& params, double reading_s) {
  std::vector<double> times_s;
  for (int turn = 0; turn < 9; ++turn) {
    auto ask = [&] { (void)answer_of(live, {name, params}); };
    times_s.push_back(seconds_of(ask));
  }
  std::printf("%s %s: 1/%.0f of reading the trace (%.1f ms)\n", name.c_str(), params.dump().c_str(),
              reading_s / median(times_s), median(times_s) * 1e3);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t events = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const std::string trace = write(events);
  {
    std::vector<double> bare_s, levels_s, slices_s;
    std::unique_ptr<cli::LiveTrace> live;
    for (int turn = 0; turn < 3; ++turn) {
      auto bare = [&] { (void)read_only(trace); };
      bare_s.push_back(seconds_of(bare));
      live = cli::LiveTrace::open(trace).value();
      auto into_levels = [&] {
        auto slice = [&] { return live->read(40'000); };
        for (bool more = true; more;) {
          auto one = [&] { more = slice(); };
          slices_s.push_back(seconds_of(one));
        }
      };
      levels_s.push_back(seconds_of(into_levels));
    }
    const double reading_s = median(levels_s);
    std::printf("reading into levels takes %.2f times as long as reading (%.0f ns against %.0f ns an event); %.2f s\n",
                reading_s / median(bare_s), reading_s * 1e9 / static_cast<double>(events),
                median(bare_s) * 1e9 / static_cast<double>(events), reading_s);
    std::printf("the longest slice: %.1f ms\n", *std::max_element(slices_s.begin(), slices_s.end()) * 1e3);
    for (const auto& metric : live->metrics())
      if (metric.name == "dpm_levels_bytes") std::printf("levels: %.1f MB\n", metric.samples.front().value / 1e6);
    const double end_s = answer_of(*live, {"describe", {}}).json.at("now_s");
    for (const double share : {1., .1, .001}) {
      const view::Json window = {{"from_s", end_s / 3}, {"to_s", end_s / 3 + end_s * share}, {"width", 1000}};
      const view::Json bare_window = {{"from_s", window["from_s"]}, {"to_s", window["to_s"]}};
      for (const char* name : {"overview", "spacetime"}) print_picture(*live, name, window, reading_s);
      print_picture(*live, "traffic", bare_window, reading_s);
    }
  }
  std::filesystem::remove_all(trace);
  return 0;
}
