// recorder [--waiting RECORDS] [--no-counters] TRACE COMMAND...: records COMMAND into the new directory TRACE as dpm
// meter does, and prints the ledger, but no findings: these read the whole trace, which a run of many million events
// does not need. With --waiting, at most that many records wait for the trace; then the program waits as long as it
// takes. With --no-counters the CPU time of processes is read as for an account that may not open counters.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "backends/linux/program/launch.hpp"
#include "backends/linux/supervisor/linux_source.hpp"
#include "filter/event_filter.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_writer.hpp"

namespace {

int fail(const dpm::Error& error) {
  std::fprintf(stderr, "recorder: %s\n", error.what.c_str());
  return 1;
}

int record(dpm::LaunchedProgram& launched, const std::string& directory, const dpm::MeterOptions& options) {
  std::vector<dpm::RuleSet> rules = {dpm::RuleSet::keep_all(dpm::event_layouts())};
  auto writer = dpm::TraceWriter::create(directory, dpm::describe_events({"filter"}, rules));
  if (!writer) return fail(writer.error());
  dpm::EventFilter filter(std::move(rules), **writer);
  dpm::LinuxSource source(std::move(launched.program()), options, [&launched] { launched.start(); });
  if (auto done = source.run(filter); !done) return fail(done.error());
  const dpm::Ledger ledger = (*writer)->ledger();
  std::fprintf(stderr, "ledger: %llu seen = %llu kept + %llu filtered + %llu lost\n",
               static_cast<unsigned long long>(ledger.seen), static_cast<unsigned long long>(ledger.kept),
               static_cast<unsigned long long>(ledger.filtered), static_cast<unsigned long long>(ledger.lost));
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> words(arguments + 1, arguments + count);
  dpm::MeterOptions options;
  if (words.size() > 2 && words[0] == "--waiting") {
    options.waiting_records_max = std::strtoull(words[1].c_str(), nullptr, 10);
    options.patience = dpm::Duration::from_seconds(3600);
    words.erase(words.begin(), words.begin() + 2);
  }
  if (words.size() > 1 && words[0] == "--no-counters") {
    options.cpu_counters = false;
    words.erase(words.begin());
  }
  if (words.size() < 2) {
    std::fprintf(stderr, "usage: recorder [--waiting RECORDS] [--no-counters] TRACE COMMAND...\n");
    return 2;
  }
  auto launched = dpm::launch({words.begin() + 1, words.end()}, {});
  return launched ? record(*launched, words[0], options) : fail(launched.error());
}
