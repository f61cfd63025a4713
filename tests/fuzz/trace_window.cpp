// links: dpm_filter dpm_trace dpm_model
// A trace with a window, plain or compressed: segments of two streams, and a names journal with gaps. The input says what is done to its files, in
// steps of five bytes: what (overwrite, shorten, remove, rename to another number of records), which file, and where or how
// much. A reader and a viewer refuse the trace, or their books balance and ids are in their tables.
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "filter/event_filter.hpp"
#include "model/check.hpp"
#include "trace/event_fields.hpp"
#include "trace/segment_name.hpp"
#include "trace/trace_follower.hpp"
#include "trace/trace_reader.hpp"
#include "trace/trace_writer.hpp"

namespace {

namespace fs = std::filesystem;

void come_and_go(dpm::TraceWriter& writer, std::uint32_t number) {
  dpm::TraceGrowth growth;
  growth.processes.push_back({std::string(700, 'p'), "program", dpm::MachineId{0}});
  growth.channels.push_back({dpm::ProcessId{number}, "c", dpm::ChannelKind::stream});
  growth.channel_sets.push_back({dpm::ChannelId{number}});
  growth.ended.push_back(dpm::ProcessId{number});
  growth.closed.push_back(dpm::ChannelId{number});
  writer.on_growth(growth);
}

void write_trace(const std::string& directory, bool ends, bool compressed) {
  std::int64_t now_ns = 0;
  dpm::TraceInfo info;
  info.machines = {{"red", 1}, {"blue", 1}};
  std::vector<dpm::RuleSet> rules = {dpm::RuleSet::keep_all(dpm::event_layouts())};
  auto writer = dpm::TraceWriter::create(directory, dpm::describe_events(info.filters, rules),
                                         {dpm::TraceWindow{{800}, [&] { return now_ns; }}, compressed})
                    .value();
  dpm::EventFilter filter(std::move(rules), *writer);
  filter.on_begin(info);
  for (std::uint32_t i = 0; i < 200; ++i) {
    come_and_go(*writer, i);
    now_ns += 30;
    dpm::Event event;
    event.type = dpm::kEventTypes[i % dpm::kEventTypes.size()];
    event.machine.value = static_cast<std::uint16_t>(i % 7 == 0);
    event.process.value = i;
    event.channel.value = i;
    filter.on_events(std::span(&event, 1));
    writer->flush();
  }
  if (ends) filter.on_end({.seen = 200});
}

std::vector<std::string> files_of(const std::string& directory) {
  std::vector<std::string> files = {directory + "/trace.json", directory + "/names.jsonl"};
  for (const auto& entry : fs::directory_iterator(directory + "/ctf")) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

void overwrite(const std::string& path, std::size_t at, char with) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(with);
}

void damage(const std::string& directory, std::span<const std::uint8_t> step) {
  const auto files = files_of(directory);
  const std::string path = files[step[1] % files.size()];
  const std::size_t at = step[2] + 256u * step[3];
  std::error_code ignored;
  switch (step[0] % 4) {
    case 0:
      return overwrite(path, at % std::max<std::size_t>(fs::file_size(path), 1), static_cast<char>(step[4]));
    case 1:
      return fs::resize_file(path, std::min<std::size_t>(at, fs::file_size(path)), ignored);
    case 2:
      fs::remove(path, ignored);
      return;
    default: {
      auto name = dpm::SegmentName::of(fs::path(path).filename().string());
      name.before = step[4] == 255 ? UINT64_MAX >> step[3] % 64 : at;
      fs::rename(path, fs::path(path).parent_path() / name.file(), ignored);
    }
  }
}

void check_events(std::span<const dpm::Event> batch, const dpm::TraceInfo& info) {
  const auto in_table = [](std::uint64_t id, std::uint64_t none, std::size_t size) { return id == none || id < size; };
  for (const auto& event : batch) {
    DPM_CHECK(event.process.value < info.processes.size() && event.machine.value < info.machines.size());
    DPM_CHECK(in_table(event.peer.value, dpm::ProcessId::kNone, info.processes.size()));
    DPM_CHECK(in_table(event.channel.value, dpm::ChannelId::kNone, info.channels.size()));
  }
}

void read(const std::string& directory) {
  auto reader = dpm::TraceReader::open(directory);
  if (!reader) return;
  std::uint64_t events = 0;
  const auto losses = reader->read([&](std::span<const dpm::Event> batch) {
    events += batch.size();
    check_events(batch, reader->info());
  });
  DPM_CHECK(losses.seen == events + losses.lost());
  DPM_CHECK(reader->ledger().balanced());
  DPM_CHECK(reader->ledger().kept == events + reader->ledger().removed);
}

void follow(const std::string& directory) {
  auto follower = dpm::TraceFollower::open(directory);
  if (!follower) return;
  std::uint64_t events = 0;
  for (int looks = 0; looks < 100 && !follower->is_over(); ++looks)
    follower->poll(
        [&](std::span<const dpm::Event> batch) {
          events += batch.size();
          check_events(batch, follower->info());
        },
        7);
  DPM_CHECK(follower->is_over());
  DPM_CHECK(follower->ledger().balanced());
  DPM_CHECK(follower->ledger().kept == events + follower->ledger().removed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::string folder = (fs::temp_directory_path() / "dpm-fuzz-XXXXXX").string();
  DPM_CHECK(::mkdtemp(folder.data()) != nullptr);
  const std::string directory = folder + "/trace";
  write_trace(directory, data[0] % 2 == 0, data[0] % 4 >= 2);
  for (auto steps = std::span(data, size).subspan(1); steps.size() >= 5; steps = steps.subspan(5))
    damage(directory, steps.first(5));
  read(directory);
  follow(directory);
  fs::remove_all(folder);
  return 0;
}
