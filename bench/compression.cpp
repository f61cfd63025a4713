// links: dpm_filter dpm_trace
// What compressing a trace saves on disk and costs in time: the same events of clients and servers, written and read back plain and
// compressed. The compressor is in the recorder's path, the other side in that of every analysis.
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "bench/measure.hpp"
#include "bench/synthetic_events.hpp"
#include "bench/timed_events.hpp"
#include "filter/event_filter.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_reader.hpp"
#include "trace/trace_writer.hpp"

namespace {

constexpr std::uint64_t kEvents = 2'000'000;

bool write_trace(const std::string& directory, bool compressed) {
  std::filesystem::remove_all(directory);
  dpm::SyntheticEvents source(kEvents, 6, 18, 4);
  std::vector<dpm::RuleSet> rules = {dpm::RuleSet::keep_all(dpm::event_layouts())};
  auto writer =
      dpm::TraceWriter::create(directory, dpm::describe_events({"filter"}, rules), {.compressed = compressed}).value();
  dpm::EventFilter filter(std::move(rules), *writer);
  dpm::Timed timed(filter);
  return source.run(timed) && writer->status();
}

// A number that depends on all events, whichever process comes first.
std::uint64_t read_trace(const std::string& directory) {
  auto reader = dpm::TraceReader::open(directory).value();
  std::uint64_t sum = 0;
  reader.read([&](std::span<const dpm::Event> batch) {
    for (const auto& event : batch) sum += event.sequence * 31 + event.proc_time_ns * (event.process.value + 1);
  });
  return sum;
}

std::uintmax_t stream_bytes(const std::string& directory) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/ctf")) bytes += entry.file_size();
  return bytes;
}

}  // namespace

int main() {
  std::string folder = (std::filesystem::temp_directory_path() / "dpm-bench-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  const std::string plain = folder + "/plain", compressed = folder + "/compressed";
  bool agree = write_trace(plain, false) && write_trace(compressed, true);
  const auto per_event = [](std::uintmax_t bytes) { return static_cast<double>(bytes) / static_cast<double>(kEvents); };
  std::printf("compression: %.1f bytes an event instead of %.1f: x %.2f\n", per_event(stream_bytes(compressed)),
              per_event(stream_bytes(plain)), per_event(stream_bytes(plain)) / per_event(stream_bytes(compressed)));
  const auto write = [&](const std::string& directory, bool is_compressed) {
    return [&agree, directory, is_compressed] { agree = write_trace(directory, is_compressed) && agree; };
  };
  const auto read = [](const std::string& directory, std::uint64_t& sum) {
    return [directory, &sum] { sum = read_trace(directory); };
  };
  std::uint64_t plain_sum = 0, compressed_sum = 0;
  dpm::print_ratio("compression, writing", dpm::Way{"compressed", write(compressed, true)},
                   dpm::Way{"plain", write(plain, false)}, kEvents, "event");
  dpm::print_ratio("compression, reading", dpm::Way{"compressed", read(compressed, compressed_sum)},
                   dpm::Way{"plain", read(plain, plain_sum)}, kEvents, "event");
  agree = agree && plain_sum == compressed_sum;
  std::filesystem::remove_all(folder);
  if (!agree) std::fprintf(stderr, "bench_compression: not every event came back\n");
  return agree ? 0 : 1;
}
