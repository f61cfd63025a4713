#include "trace/trace_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "trace/process_merge.hpp"
#include "trace/read_sidecar.hpp"
#include "trace/record_decoder.hpp"
#include "trace/recording_lock.hpp"
#include "trace/sidecar.hpp"
#include "trace/sound_event.hpp"
#include "trace/stream_file.hpp"
#include "trace/undelivered.hpp"

namespace dpm {
namespace {

constexpr std::size_t kBatchEvents = 4096;

template <typename IdType>
void grow_to(std::size_t& size, IdType id) {
  if (!id.is_none()) size = std::max(size, std::size_t{id.value} + 1);
}

void grow_to(TableSizes& sizes, const Event& event) {
  grow_to(sizes.processes, event.process);
  grow_to(sizes.processes, event.peer);
  grow_to(sizes.channels, event.channel);
  grow_to(sizes.channels, event.passed_channel);
  grow_to(sizes.machines, event.machine);
  if (event.type == EventType::receive_call) grow_to(sizes.channel_sets, ChannelSetId{event.code});
  if (event.type == EventType::accept) grow_to(sizes.channels, ChannelId{event.code});
}

// What reading one stream found beside its events.
struct StreamOutcome {
  std::uint64_t records = 0;    // read and delivered
  std::uint64_t no_event = 0;   // sound, but of a kind that Events don't have
  std::uint64_t malformed = 0;  // sound packets, impossible records
  std::uint64_t packets_missing = 0;
  std::string damage;
};

// Of a stream whose records were not yet counted in trace.json: only packets before a sound one are numbered.
std::string unknown_loss(const StreamOutcome& outcome) {
  std::string missing;
  if (const auto packets = outcome.packets_missing; packets > 0)
    missing = fmt::format("lacks {} packet{} in its middle", packets, packets == 1 ? "" : "s");
  const char* joint = missing.empty() || outcome.damage.empty() ? "" : ", ";
  return fmt::format("{}{}{}; how many events are missing is not known", outcome.damage, joint, missing);
}

}  // namespace

struct TraceReader::State {
  std::string directory;
  Sidecar sidecar;
  std::vector<std::vector<RecordDecoder>> decoders;  // by filter, class
  std::unique_ptr<ForeignNames> names;
  std::vector<MissingField> missing_fields;
  std::vector<bool> is_split;  // by process
  bool has_split = false;
  bool is_foreign = false;
  bool being_recorded = false;
  Ledger ledger;
  std::vector<Loss> undelivered;  // to the filter that wrote the trace

  void make_decoders() {
    is_foreign = !carries_events(sidecar.description.layouts);
    for (const auto& filter : sidecar.description.filters) {
      auto& of_filter = decoders.emplace_back();
      for (const auto& record : filter.classes)
        of_filter.emplace_back(sidecar.description.layouts[record.layout], record, !is_foreign);
    }
    names = std::make_unique<ForeignNames>(sidecar.info);
  }

  void list_missing_fields() {
    for (const auto& filter : sidecar.description.filters)
      for (const auto& record : filter.classes) {
        const auto& layout = sidecar.description.layouts[record.layout];
        for (std::size_t i = 0; i < layout.fields.size(); ++i) {
          const MissingField missing{layout.name, layout.fields[i].name, filter.name};
          const bool is_known =
              std::find(missing_fields.begin(), missing_fields.end(), missing) != missing_fields.end();
          if (!record.has(i) && !is_known) missing_fields.push_back(missing);
        }
      }
  }

  // Stream files that a killed recorder wrote after its last trace.json are found by listing the folder.
  void find_unlisted_streams() {
    std::set<std::string> listed = {"metadata"};
    for (const auto& stream : sidecar.streams) listed.insert(stream.file);
    std::vector<std::string> found;
    std::error_code ignored;
    for (const auto& entry :
         std::filesystem::directory_iterator(fmt::format("{}/{}", directory, kStreamFolder), ignored))
      if (const auto name = entry.path().filename().string(); !listed.contains(name)) found.push_back(name);
    std::sort(found.begin(), found.end());
    for (const auto& name : found) sidecar.streams.push_back({name, MachineId{}, 0, 0});
  }

  // Calls handle(event) for every record that is an Event.
  template <typename Handle>
  StreamOutcome read_stream(const StreamSummary& summary, Handle&& handle) {
    StreamOutcome outcome;
    auto file = StreamFile::open(fmt::format("{}/{}/{}", directory, kStreamFolder, summary.file));
    if (!file) {
      outcome.damage = fmt::format("cannot be read ({})", file.error().what);
      return outcome;
    }
    while (const auto packet = file->next()) {
      const bool is_other = !summary.machine.is_none() &&
                            (packet->head.machine != summary.machine.value || packet->head.filter != summary.filter);
      if (is_other || packet->head.filter >= decoders.size() || packet->head.machine >= MachineId::kNone) {
        outcome.damage = "belongs to another machine or filter than trace.json says";
        return outcome;
      }
      read_packet(*packet, outcome, handle);
    }
    outcome.packets_missing = file->packets_missing();
    outcome.damage = file->damage();
    return outcome;
  }

  template <typename Handle>
  void read_packet(const Packet& packet, StreamOutcome& outcome, Handle&& handle) {
    const auto& of_filter = decoders[packet.head.filter];
    const MachineId machine{static_cast<std::uint16_t>(packet.head.machine)};
    auto left = packet.records;
    Event event;
    std::uint64_t records = 0;
    for (; !left.empty() && records < packet.head.records; ++records) {
      ClassIndex record_class = kNotKept;
      if (left.size() >= kEventHeadBytes) std::memcpy(&record_class, left.data(), sizeof record_class);
      if (record_class >= of_filter.size()) break;
      const RecordDecoder& decoder = of_filter[record_class];
      if (left.size() < kEventHeadBytes + decoder.payload_bytes()) break;
      if (decoder.is_event()) {
        decoder.decode(left.data() + kEventHeadBytes, machine, *names, event);
        ++(handle(event) ? outcome.records : outcome.malformed);
      } else {
        ++outcome.no_event;
      }
      left = left.subspan(kEventHeadBytes + decoder.payload_bytes());
    }
    outcome.malformed += packet.head.records - records;
  }

  // Reads everything once without delivering: finds the ids in use, and the processes whose events stand in several
  // streams.
  void survey() {
    TableSizes sizes = TableSizes::of(sidecar.info);
    std::uint64_t records = 0;
    std::vector<std::uint32_t> stream_of_process;
    std::map<ProcessId, MachineId> first_machine;  // where processes that trace.json doesn't place were first seen
    for (std::uint32_t i = 0; i < sidecar.streams.size(); ++i) {
      const auto look = [&](const Event& event) {
        ++records;
        TableSizes grown = sizes;
        grow_to(grown, event);
        // Ids are assigned as things are first seen, at most three of a kind an event: larger ones are damage.
        const std::uint64_t limit = 1024 + 3 * records;
        if (event.process.is_none() || grown.processes > sizes.processes + limit ||
            grown.channels > sizes.channels + limit || grown.channel_sets > sizes.channel_sets + limit)
          return false;
        sizes = grown;
        note_stream(event.process, i, stream_of_process);
        const auto& processes = sidecar.info.processes;
        if (event.process.value >= processes.size() || processes[event.process.value].machine.is_none())
          first_machine.try_emplace(event.process, event.machine);
        return true;
      };
      read_stream(sidecar.streams[i], look);
    }
    name_unnamed(sizes);
    for (const auto& [process, machine] : first_machine) sidecar.info.processes[process.value].machine = machine;
  }

  void note_stream(ProcessId process, std::uint32_t stream, std::vector<std::uint32_t>& stream_of_process) {
    if (process.value >= stream_of_process.size()) stream_of_process.resize(process.value + 1u);
    auto& first = stream_of_process[process.value];
    if (first != 0 && first != stream + 1) mark_split(process);
    first = stream + 1;
  }

  void mark_split(ProcessId process) {
    if (process.value >= is_split.size()) is_split.resize(process.value + 1u);
    is_split[process.value] = true;
    has_split = true;
  }

  void name_unnamed(const TableSizes& sizes) {
    TraceInfo& info = sidecar.info;
    while (info.machines.size() < sizes.machines)
      info.machines.push_back({"machine " + std::to_string(info.machines.size()), 1});
    while (info.processes.size() < sizes.processes)
      info.processes.push_back({"process " + std::to_string(info.processes.size()), "", MachineId{}, 0, true});
    // The kind of a channel is not known either; live programs mostly use streams.
    const bool live = std::any_of(info.channels.begin(), info.channels.end(),
                                  [](const auto& channel) { return channel.kind != ChannelKind::numbered; });
    const ChannelKind kind = live ? ChannelKind::stream : ChannelKind::numbered;
    while (info.channels.size() < sizes.channels) info.channels.push_back({ProcessId{}, "", kind});
    while (info.channel_sets.size() < sizes.channel_sets) info.channel_sets.push_back({});
  }

  // Besides what every reader checks: analyses rely on the machine of a process that does something.
  bool is_sound(const Event& event, const TableSizes& sizes) const {
    return ids_are_known(event, sizes) && values_are_possible(event) && !sidecar.info[event.process].machine.is_none();
  }

  LossReport read(const Deliver& deliver);
  LossReport reconcile(std::uint64_t delivered, std::vector<Loss> losses);
};

LossReport TraceReader::State::read(const Deliver& deliver) {
  const TableSizes sizes = TableSizes::of(sidecar.info);
  std::vector<Event> batch;
  batch.reserve(kBatchEvents);
  const auto send = [&](const Event& event) {
    batch.push_back(event);
    if (is_foreign && event.evidence == Evidence::inferred) names->number(batch.back());
    if (batch.size() < kBatchEvents) return;
    deliver(batch);
    batch.clear();
  };
  names->restart_sequences();
  std::map<ProcessId, std::vector<std::vector<Event>>> held;  // events of split processes, by stream
  std::uint64_t delivered = 0;
  std::vector<Loss> losses;
  for (std::size_t i = 0; i < sidecar.streams.size(); ++i) {
    const StreamSummary& summary = sidecar.streams[i];
    const StreamOutcome outcome = read_stream(summary, [&](const Event& event) {
      if (!is_sound(event, sizes)) return false;
      if (has_split && event.process.value < is_split.size() && is_split[event.process.value]) {
        auto& streams = held[event.process];
        streams.resize(sidecar.streams.size());
        streams[i].push_back(event);
      } else {
        send(event);
      }
      return true;
    });
    delivered += outcome.records;
    const std::string stream = fmt::format("stream {} ", summary.file);
    if (outcome.no_event > 0)
      losses.push_back({stream + "has records of types that no analysis knows", outcome.no_event});
    if (outcome.malformed > 0) losses.push_back({stream + "has records that make no sense", outcome.malformed});
    const std::uint64_t read = outcome.records + outcome.no_event + outcome.malformed;
    if (read < summary.records) {
      std::string reason = outcome.damage;
      if (reason.empty()) reason = outcome.packets_missing > 0 ? "lacks packets in its middle" : "is cut short";
      losses.push_back({stream + reason, summary.records - read});
    } else if ((!outcome.damage.empty() || outcome.packets_missing > 0) && !sidecar.finished) {
      losses.push_back({stream + unknown_loss(outcome), 0});
    }
  }
  for (const auto& [process, streams] : held)
    for (const Event& event : merge_streams_of_process(streams)) send(event);
  if (!batch.empty()) deliver(batch);
  return reconcile(delivered, std::move(losses));
}

LossReport TraceReader::State::reconcile(std::uint64_t delivered, std::vector<Loss> losses) {
  ledger = sidecar.ledger;
  if (!sidecar.finished && !(sidecar.paused && losses.empty() && delivered == ledger.kept)) {
    ledger = {};
    ledger.kept = delivered;
    for (const auto& loss : losses) ledger.kept += loss.events;
    ledger.seen = ledger.kept;
    ledger.warnings.push_back(std::string(being_recorded
                                              ? "the trace is still being recorded"
                                              : "the recorder was killed, or the trace copied while it was at work") +
                              ": what it had not yet written, and what it filtered, is not known");
  }
  std::uint64_t explained = 0;
  for (const auto& loss : losses) explained += loss.events;
  if (delivered + explained < ledger.kept)
    losses.push_back({"the trace holds fewer records than its ledger says", ledger.kept - delivered - explained});
  if (delivered + explained > ledger.kept) {
    ledger.warnings.push_back("the trace holds more records than its ledger says: the ledger was corrected");
    ledger.seen += delivered + explained - ledger.kept;
  }
  ledger.kept = delivered;
  for (auto& loss : losses) ledger.losses.push_back(std::move(loss));
  ledger.losses.insert(ledger.losses.end(), undelivered.begin(), undelivered.end());
  ledger.lost = 0;
  for (const auto& loss : ledger.losses) ledger.lost += loss.events;
  ledger.seen = ledger.kept + ledger.filtered + ledger.lost;
  for (const auto& missing : missing_fields)
    ledger.warnings.push_back(fmt::format("field {} of {} was discarded by the rules of filter '{}'", missing.field,
                                          missing.layout, missing.filter));
  return {ledger.kept + ledger.lost, ledger.losses, ledger.warnings};
}

TraceReader::TraceReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
TraceReader::TraceReader(TraceReader&&) noexcept = default;
TraceReader& TraceReader::operator=(TraceReader&&) noexcept = default;
TraceReader::~TraceReader() = default;

std::string trace_directory(const std::string& path) {
  const std::filesystem::path inside = std::filesystem::path(path) / "trace";
  std::error_code ignored;
  return std::filesystem::exists(inside / kSidecarName, ignored) ? inside.string() : path;
}

Result<TraceReader> TraceReader::open(const std::string& named) {
  const std::string directory = trace_directory(named);
  const std::string path = fmt::format("{}/{}", directory, kSidecarName);
  std::error_code ignored;
  const std::string hint = " (a trace is what 'dpm run -o OUT' or 'dpm meter -o OUT' leaves in OUT)";
  if (!std::filesystem::exists(directory, ignored))
    return Error{fmt::format("{}: no such directory{}", directory, hint)};
  if (!std::filesystem::is_directory(directory, ignored))
    return Error{fmt::format("{}: not a directory{}", directory, hint)};
  if (!std::filesystem::exists(path, ignored))
    return Error{fmt::format("{}: not a trace: it has no {}{}", directory, kSidecarName, hint)};
  const bool being_recorded = is_being_recorded(directory);  // before trace.json is read: it may end in between
  auto sidecar = read_sidecar(directory);
  if (!sidecar) return sidecar.error();
  const auto undelivered = read_undelivered(directory);
  if (!undelivered) return undelivered.error();
  auto state = std::make_unique<State>();
  state->directory = directory;
  state->undelivered = losses_of(*undelivered);
  state->sidecar = *std::move(sidecar);
  state->being_recorded = being_recorded;
  state->make_decoders();
  state->list_missing_fields();
  if (!state->sidecar.finished) state->find_unlisted_streams();
  if (state->sidecar.finished && state->sidecar.split_processes) {
    for (const auto process : *state->sidecar.split_processes)
      if (process.value < state->sidecar.info.processes.size()) state->mark_split(process);
  } else {
    state->survey();
  }
  state->ledger = state->sidecar.ledger;
  for (const auto& loss : state->undelivered) {
    state->ledger.losses.push_back(loss);
    state->ledger.lost += loss.events;
    state->ledger.seen += loss.events;
  }
  return TraceReader(std::move(state));
}

const TraceInfo& TraceReader::info() const { return state_->sidecar.info; }
const TraceDescription& TraceReader::description() const { return state_->sidecar.description; }
bool TraceReader::is_finished() const { return state_->sidecar.finished; }
const std::vector<MissingField>& TraceReader::missing_fields() const { return state_->missing_fields; }
const Ledger& TraceReader::ledger() const { return state_->ledger; }
LossReport TraceReader::read(const Deliver& deliver) { return state_->read(deliver); }

}  // namespace dpm
