// links: dpm_filter dpm_trace
// What the trace on disk costs: filtering and writing events, and reading them back, compared with writing and reading
// the same bytes without looking at them. Goal: 10^7 events are read in less than 2 s.
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "filter/event_filter.hpp"
#include "model/random.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_reader.hpp"
#include "trace/trace_writer.hpp"

namespace {

constexpr std::uint64_t kEvents = 2'000'000;

dpm::TraceInfo an_info() {
  dpm::TraceInfo info;
  for (int i = 0; i < 8; ++i) info.machines.push_back({"machine", 1});
  for (int i = 0; i < 1000; ++i)
    info.processes.push_back({"process", "", dpm::MachineId{static_cast<std::uint16_t>(i % 8)}});
  for (int i = 0; i < 3000; ++i) info.channels.push_back({dpm::ProcessId{0}, ""});
  return info;
}

std::vector<dpm::Event> random_events(const dpm::TraceInfo& info) {
  dpm::Random random(1);
  std::vector<dpm::Event> events(kEvents);
  for (auto& event : events) {
    event.type = dpm::kEventTypes[random.below(4)];
    event.process.value = static_cast<std::uint32_t>(random.below(info.processes.size()));
    event.machine = info[event.process].machine;
    if (event.type != dpm::EventType::receive_call) event.peer.value = event.channel.value = event.process.value;
    event.local_time.ns = static_cast<std::int64_t>(random.below(1'000'000'000));
  }
  return events;
}

void write_trace(const std::string& directory, const dpm::TraceInfo& info, std::span<const dpm::Event> events) {
  std::vector<dpm::RuleSet> rules = {dpm::RuleSet::keep_all(dpm::event_layouts())};
  auto writer = dpm::TraceWriter::create(directory, dpm::describe_events(info.filters, rules)).value();
  dpm::EventFilter filter(std::move(rules), *writer);
  filter.on_begin(info);
  constexpr std::size_t kBatch = 256;
  for (std::size_t i = 0; i < events.size(); i += kBatch)
    filter.on_events(events.subspan(i, std::min(kBatch, events.size() - i)));
  dpm::LossReport losses;
  losses.seen = events.size();
  filter.on_end(losses);
}

std::uint64_t read_trace(const std::string& directory) {
  auto reader = dpm::TraceReader::open(directory).value();
  std::uint64_t events = 0;
  reader.read([&](std::span<const dpm::Event> batch) { events += batch.size(); });
  return events;
}

void report(const char* what, std::vector<double> ours_s, std::vector<double> plain_s) {
  const double ours = dpm::median(std::move(ours_s)), plain = dpm::median(std::move(plain_s));
  std::printf("trace, %s: %.2f times the plain file (%.1f against %.1f million events/s)\n", what, ours / plain,
              static_cast<double>(kEvents) / ours / 1e6, static_cast<double>(kEvents) / plain / 1e6);
}

}  // namespace

int main() {
  std::string folder = (std::filesystem::temp_directory_path() / "dpm-bench-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  const dpm::TraceInfo info = an_info();
  const auto events = random_events(info);
  const std::string plain_path = folder + "/plain", trace_path = folder + "/trace";
  std::vector<dpm::Event> memory(kEvents);
  std::vector<double> write_s, plain_write_s, read_s, plain_read_s;
  const auto bytes = static_cast<std::streamsize>(kEvents * sizeof(dpm::Event));
  bool agree = true;
  for (int turn = 0; turn < 5; ++turn) {
    std::filesystem::remove_all(trace_path);
    std::filesystem::remove(plain_path);
    auto write = [&] { write_trace(trace_path, info, events); };
    auto plain_write = [&] { std::ofstream(plain_path).write(reinterpret_cast<const char*>(events.data()), bytes); };
    auto read = [&] { agree = agree && read_trace(trace_path) == kEvents; };
    auto plain_read = [&] { std::ifstream(plain_path).read(reinterpret_cast<char*>(memory.data()), bytes); };
    write_s.push_back(dpm::seconds_of(write));
    plain_write_s.push_back(dpm::seconds_of(plain_write));
    read_s.push_back(dpm::seconds_of(read));
    plain_read_s.push_back(dpm::seconds_of(plain_read));
  }
  report("filter and write", write_s, plain_write_s);
  report("read", read_s, plain_read_s);
  std::filesystem::remove_all(folder);
  if (!agree) std::fprintf(stderr, "bench_trace: not every event came back\n");
  return agree ? 0 : 1;
}
