// make_scale_trace [--compress] DIRECTORY EVENTS [PROCESSES [MACHINES [REACH]]]: a trace of clients and servers that exchange requests and answers, recorded as
// events come. REACH: how many servers a client asks.
// make_scale_trace --seconds EVENTS: how long the trace of four machines lasts.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bench/synthetic_events.hpp"
#include "bench/timed_events.hpp"
#include "filter/event_filter.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_writer.hpp"

int main(int argc, char** argv) {
  using namespace dpm;
  const bool compressed = argc > 1 && std::string_view(argv[1]) == "--compress";
  if (compressed) --argc, ++argv;
  if (argc < 3) {
    std::fprintf(stderr, "usage: make_scale_trace [--compress] DIRECTORY EVENTS [PROCESSES [MACHINES [REACH]]]\n");
    return 2;
  }
  const auto number = [&](int at, unsigned long otherwise) {
    return argc > at ? std::strtoul(argv[at], nullptr, 10) : otherwise;
  };
  const auto processes = static_cast<std::uint32_t>(number(3, 24));
  const auto machines = static_cast<std::uint16_t>(number(4, 4));
  if (std::string_view(argv[1]) == "--seconds") {
    std::printf("%.9f\n", static_cast<double>(Timed::span_ns(number(2, 0), machines)) * 1e-9);
    return 0;
  }
  SyntheticEvents source(number(2, 0), processes / 4, processes - processes / 4, machines,
                         static_cast<std::uint32_t>(number(5, 0)));
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  auto writer = TraceWriter::create(argv[1], describe_events({"filter"}, rules), {.compressed = compressed});
  if (!writer) {
    std::fprintf(stderr, "make_scale_trace: %s\n", writer.error().what.c_str());
    return 2;
  }
  EventFilter filter(std::move(rules), **writer);
  Timed timed(filter);
  const auto done = source.run(timed);
  if (!done || !(*writer)->status()) {
    std::fprintf(stderr, "make_scale_trace: the trace could not be written\n");
    return 1;
  }
  return 0;
}
