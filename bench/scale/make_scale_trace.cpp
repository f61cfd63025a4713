// make_scale_trace DIRECTORY EVENTS [PROCESSES [MACHINES]]: a trace of clients and servers that exchange requests and answers, recorded as
// events come.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bench/synthetic_events.hpp"
#include "filter/event_filter.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_writer.hpp"

int main(int argc, char** argv) {
  using namespace dpm;
  if (argc < 3) {
    std::fprintf(stderr, "usage: make_scale_trace DIRECTORY EVENTS [PROCESSES [MACHINES]]\n");
    return 2;
  }
  const auto number = [&](int at, unsigned long otherwise) {
    return argc > at ? std::strtoul(argv[at], nullptr, 10) : otherwise;
  };
  const auto processes = static_cast<std::uint32_t>(number(3, 24));
  const auto machines = static_cast<std::uint16_t>(number(4, 4));
  SyntheticEvents source(number(2, 0), processes / 4, processes - processes / 4, machines);
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  auto writer = TraceWriter::create(argv[1], describe_events({"filter"}, rules));
  if (!writer) {
    std::fprintf(stderr, "make_scale_trace: %s\n", writer.error().what.c_str());
    return 2;
  }
  EventFilter filter(std::move(rules), **writer);
  const auto done = source.run(filter);
  if (!done || !(*writer)->status()) {
    std::fprintf(stderr, "make_scale_trace: the trace could not be written\n");
    return 1;
  }
  return 0;
}
