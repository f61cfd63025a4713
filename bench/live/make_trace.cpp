// make_trace FOLDER EVENTS [EVENTS_PER_S]: a trace of clients and servers, at that rate or as fast as it can be written.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bench/synthetic_events.hpp"
#include "bench/timed_events.hpp"
#include "filter/event_filter.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_writer.hpp"

int main(int argc, char** argv) {
  using namespace dpm;
  if (argc < 3) {
    std::fprintf(stderr, "make_trace FOLDER EVENTS [EVENTS_PER_S]\n");
    return 2;
  }
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  auto writer = TraceWriter::create(argv[1], describe_events({"filter"}, rules));
  if (!writer) {
    std::fprintf(stderr, "%s\n", writer.error().what.c_str());
    return 1;
  }
  EventFilter filter(std::move(rules), **writer);
  const double rate = argc > 3 ? std::atof(argv[3]) : 0;
  // A paced program runs on one machine, whose clock is that of the reader.
  SyntheticEvents events(std::strtoull(argv[2], nullptr, 10), 20, rate > 0 ? 180 : 80, rate > 0 ? 1 : 4);
  Timed timed(filter);
  Paced paced(filter, rate, [&] { (*writer)->flush(); });
  const auto done = rate > 0 ? events.run(paced) : events.run(timed);
  return done ? 0 : 1;
}
