// links: dpm_simulator_registry dpm_registry dpm_commands dpm_cli dpm_filter dpm_trace dpm_model
// Every command that reads a trace survives every trace. The input changes a sound one in two ways that no random bytes
// would: fields of its events before they are written, so that all checksums are right, and single values of trace.json.
// Pieces of six bytes: what is changed, which one, how. A command may refuse, or count losses; it must end.
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command.hpp"
#include "cli/commands/commands.hpp"
#include "filter/event_filter.hpp"
#include "model/check.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_writer.hpp"

namespace {

using namespace dpm;

constexpr std::size_t kPieceBytes = 6;
constexpr std::uint32_t kClients = 3, kRounds = 4;

TraceInfo sound_info() {
  TraceInfo info;
  info.source = "linux-seccomp";
  info.scenario = "a server";
  info.machines = {{"red", 1}, {"blue", 1}};
  info.machines[1].cores = 2;
  for (std::uint16_t p = 0; p <= kClients; ++p) {
    info.processes.push_back({p == 0 ? "server" : "client", "program", MachineId{static_cast<std::uint16_t>(p % 2)}});
    info.processes.back().pid = info.processes.back().tid = p + 10u;
    info.processes.back().in_computation = p != kClients;
  }
  for (std::uint32_t c = 1; c <= kClients; ++c) {
    info.channels.push_back({ProcessId{0}, "to the server", c == 2 ? ChannelKind::datagram : ChannelKind::stream});
    info.channels.push_back({ProcessId{c}, "to a client", c == 2 ? ChannelKind::datagram : ChannelKind::stream});
  }
  return info;
}

// Requests and answers, round after round; the first client waits for the second's end.
std::vector<Event> sound_events(const TraceInfo& info) {
  std::vector<Event> events;
  std::int64_t now_ns = 1'000'000;
  const auto add = [&](EventType type, std::uint32_t process, std::uint32_t peer, std::uint32_t channel,
                       std::uint64_t sequence) {
    Event event;
    event.type = type;
    event.process = ProcessId{process};
    event.peer = ProcessId{peer};
    event.channel = ChannelId{channel};
    event.machine = info[event.process].machine;
    event.sequence = sequence;
    event.length_bytes = 100;
    event.local_time.ns = now_ns += 1'000'000;
    event.proc_time_ns = static_cast<std::uint64_t>(now_ns) / 2;
    if (type == EventType::receive_call) event.channel = ChannelId{};
    events.push_back(event);
  };
  for (std::uint32_t round = 0; round < kRounds; ++round)
    for (std::uint32_t client = 1; client <= kClients; ++client) {
      const std::uint32_t there = 2 * (client - 1), back = there + 1;
      add(EventType::send, client, 0, there, 100 * round);
      add(EventType::receive_call, 0, ProcessId::kNone, 0, 0);
      add(EventType::receive, 0, client, there, 100 * round);
      add(EventType::send, 0, client, back, 100 * round);
      add(EventType::receive_call, client, ProcessId::kNone, 0, 0);
      add(EventType::receive, client, 0, back, 100 * round);
    }
  add(EventType::destroy_process, 2, 2, ChannelId::kNone, 0);
  add(EventType::wait, 1, 2, ChannelId::kNone, 500'000);
  for (const std::uint32_t process : {1u, 3u, 0u})
    add(EventType::destroy_process, process, process, ChannelId::kNone, 0);
  return events;
}

std::uint64_t value_of(std::span<const std::uint8_t> piece, std::uint64_t old) {
  constexpr std::array<std::uint64_t, 12> kExtremes = {0,
                                                       1,
                                                       2,
                                                       0x7f,
                                                       0xffff,
                                                       0x7fff'ffff,
                                                       0x8000'0000,
                                                       0xffff'ffff,
                                                       std::uint64_t{1} << 61,
                                                       std::uint64_t{1} << 62,
                                                       (std::uint64_t{1} << 63) - 1,
                                                       ~std::uint64_t{0}};
  const std::uint64_t number = piece[4] + 256u * piece[5];
  if (piece[3] < kExtremes.size()) return kExtremes[piece[3]] + (number < 4 ? number : 0) - 1;
  return piece[3] % 2 == 0 ? old + number : old - number;
}

void change(std::vector<Event>& events, std::span<const std::uint8_t> piece) {
  Event& event = events[piece[1] % events.size()];
  const auto set = [&](auto& member) {
    member =
        static_cast<std::remove_reference_t<decltype(member)>>(value_of(piece, static_cast<std::uint64_t>(member)));
  };
  switch (piece[2] % 12) {
    case 0:
      set(event.local_time.ns);
      break;
    case 1:
      set(event.proc_time_ns);
      break;
    case 2:
      set(event.sequence);
      break;
    case 3:
      set(event.length_bytes);
      break;
    case 4:
      event.channel.value = piece[4] % 8u;
      break;
    case 5:
      event.process.value = piece[4] % (kClients + 1);
      break;
    case 6:
      event.peer.value = piece[4] % (kClients + 1);
      break;
    case 7:
      event.type = kEventTypes[piece[4] % kEventTypes.size()];
      break;
    case 8:
      set(event.code);
      break;
    case 9:
      event.flags = piece[4];
      break;
    case 10:
      std::swap(event, events[piece[4] % events.size()]);
      break;
    default:
      events.push_back(event);
      break;
  }
  const auto fits = [](auto& id, std::uint32_t size) {
    if (!id.is_none() && id.value >= size) id = {};
  };
  for (auto& each : events) {
    fits(each.channel, 2 * kClients);
    if (each.type == EventType::receive_call) each.code = 0;
    if (each.type == EventType::accept && each.code >= 2 * kClients) each.code = ChannelId::kNone;
  }
}

void change(nlohmann::ordered_json& document, std::span<const std::uint8_t> piece) {
  using Json = nlohmann::ordered_json;
  const Json flat = document.flatten();
  auto chosen = flat.begin();
  std::advance(chosen, (piece[1] + 256u * piece[2]) % flat.size());
  const std::array<Json, 12> kValues = {nullptr, true,  "",     "\x1b[2J\x07", Json::array(),      Json::object(),
                                        -1,      1e300, -1e300, 1e-300,        value_of(piece, 0), 3};
  document[Json::json_pointer(chosen.key())] = kValues[piece[3] % kValues.size()];
}

void write_trace(const std::string& directory, std::span<const std::uint8_t> input) {
  const TraceInfo info = sound_info();
  auto events = sound_events(info);
  std::vector<std::span<const std::uint8_t>> of_document;
  for (; input.size() >= kPieceBytes; input = input.subspan(kPieceBytes)) {
    if (input[0] % 2 == 0)
      change(events, input.first(kPieceBytes));
    else
      of_document.push_back(input.first(kPieceBytes));
  }
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  auto writer = TraceWriter::create(directory, describe_events(info.filters, rules)).value();
  EventFilter filter(std::move(rules), *writer);
  filter.on_begin(info);
  filter.on_events(events);
  LossReport losses;
  losses.seen = events.size();
  filter.on_end(losses);
  if (of_document.empty()) return;
  const std::string path = directory + "/trace.json";
  std::ifstream file(path);
  auto document = nlohmann::ordered_json::parse(file);
  for (const auto& piece : of_document) change(document, piece);
  std::ofstream(path, std::ios::trunc) << document.dump(1, ' ', false,
                                                        nlohmann::ordered_json::error_handler_t::replace);
}

void run(const cli::Commands& commands, std::vector<std::string> words) {
  words.insert(words.begin(), "dpm");
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  std::ostringstream out, err;
  Terminal terminal{out, err};
  const int status = cli::run_command_line(commands, static_cast<int>(arguments.size()), arguments.data(), terminal);
  DPM_CHECK(status == cli::kDone || !err.str().empty());
  DPM_CHECK((out.str() + err.str()).find('\x1b') ==
            std::string::npos);  // nothing of the trace's reaches a terminal raw
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const cli::Commands commands = cli::dpm_commands(), simulator_commands = cli::simulator_commands();
  std::string folder = (std::filesystem::temp_directory_path() / "dpm-fuzz-XXXXXX").string();
  DPM_CHECK(::mkdtemp(folder.data()) != nullptr);
  const std::string trace = folder + "/trace";
  write_trace(trace, {data, size});
  for (const char* command : {"statistics", "queues", "parallelism", "causality", "clocks", "events"})
    run(commands, {command, trace});
  run(commands, {"predict", trace, "--speed", "red=2"});
  run(commands, {"report", trace, "-o", folder + "/report.html"});
  run(simulator_commands, {"twin", trace, "--no-run", "-o", folder + "/twin.json"});
  run(commands, {"merge", trace, "-o", folder + "/merged"});
  std::filesystem::remove_all(folder);
  return 0;
}
