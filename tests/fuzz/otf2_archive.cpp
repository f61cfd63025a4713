// links: dpm_import dpm_export dpm_clocks dpm_trace dpm_model
// An OTF2 archive may come from anywhere. A sound one of three processes is changed in steps of six bytes: which file, what (overwrite with
// a byte, overwrite with one byte twice, shorten, repeat a piece), where, with what. It is refused, or what it becomes is sound. What is
// looked for is in DPM: the OTF2 library has no sanitizer here, and mutations inside its files mostly end in it.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "formats/export/export_formats.hpp"
#include "tests/fuzz/import_bytes.hpp"

namespace {

namespace fs = std::filesystem;
using namespace dpm;

constexpr std::size_t kStepBytes = 6;
constexpr std::uint32_t kProcesses = 3, kMessages = 12;

using Files = std::map<std::string, std::string>;  // contents, by name in the archive

std::string new_folder() {
  std::string folder = (fs::temp_directory_path() / "dpm-fuzz-XXXXXX").string();
  DPM_CHECK(::mkdtemp(folder.data()) != nullptr);
  return folder;
}

TraceInfo sound_info() {
  TraceInfo info;
  info.machines = {{"red", 1}, {"blue", 1}};
  for (std::uint32_t p = 0; p < kProcesses; ++p) {
    info.processes.push_back({"p", "program", MachineId{static_cast<std::uint16_t>(p % 2)}});
    info.channels.push_back({ProcessId{p}, "c"});
  }
  info.processes[2].group = ProcessId{0};
  return info;
}

std::vector<Event> sound_events(const TraceInfo& info) {
  std::vector<Event> events;
  const auto add = [&](EventType type, std::uint32_t process, std::uint32_t peer, std::uint64_t number) {
    Event event;
    event.type = type;
    event.process = ProcessId{process};
    event.peer = ProcessId{peer};
    event.machine = info[event.process].machine;
    event.channel = ChannelId{type == EventType::send ? peer : process};
    event.sequence = number;
    event.length_bytes = 100;
    event.local_time.ns = static_cast<std::int64_t>(1000 * (events.size() + 1));
    events.push_back(event);
  };
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    const std::uint32_t from = i % kProcesses, to = (i + 1) % kProcesses;
    add(EventType::send, from, to, i);
    add(EventType::receive_call, to, ProcessId::kNone, 0);
    add(EventType::receive, to, from, i);
  }
  return events;
}

Files sound_archive() {
  const std::string folder = new_folder();
  const TraceInfo info = sound_info();
  const auto events = sound_events(info);
  TimeSurvey survey;
  survey.on_begin(info);
  survey.on_events(events);
  survey.on_end({.seen = events.size()});
  const TimeAxis axis = survey.axis();
  auto exporter = export_format_named("otf2").value()->start(folder + "/archive", axis, {}).value();
  exporter->on_begin(info);
  exporter->on_events(events);
  exporter->on_end({.seen = events.size()});
  DPM_CHECK(exporter->finish(info, {.seen = events.size(), .kept = events.size()}).has_value());
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder + "/archive")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[fs::relative(entry.path(), folder + "/archive").string()] = {std::istreambuf_iterator<char>(file), {}};
  }
  fs::remove_all(folder);
  DPM_CHECK(files.contains("traces.otf2"));
  return files;
}

void change(Files& files, std::span<const std::uint8_t> step) {
  std::string& bytes = std::next(files.begin(), step[0] % static_cast<std::ptrdiff_t>(files.size()))->second;
  if (bytes.empty()) return;
  const std::size_t at = (step[2] + 256u * step[3]) % bytes.size();
  switch (step[1] % 4) {
    case 0:
      bytes[at] = static_cast<char>(step[4]);
      return;
    case 1:
      bytes.replace(at, std::min<std::size_t>(2, bytes.size() - at), 2, static_cast<char>(step[4]));
      return;
    case 2:
      bytes.resize(at);
      return;
    default:
      bytes.insert(at, bytes.substr(at, step[5]));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Files sound = sound_archive();
  Files files = sound;
  for (auto steps = std::span(data, size); steps.size() >= kStepBytes; steps = steps.subspan(kStepBytes))
    change(files, steps.first(kStepBytes));
  const std::string folder = new_folder();
  for (const auto& [name, bytes] : files) {
    fs::create_directories(fs::path(folder + '/' + name).parent_path());
    std::ofstream(folder + '/' + name, std::ios::binary) << bytes;
  }
  import_path("otf2", folder);
  fs::remove_all(folder);
  return 0;
}
