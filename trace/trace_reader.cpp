#include "trace/trace_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <set>

#include "model/check.hpp"
#include "trace/event_fields.hpp"
#include "trace/ids_in_use.hpp"
#include "trace/kept_results.hpp"
#include "trace/packet_decoder.hpp"
#include "trace/part_cursor.hpp"
#include "trace/process_merge.hpp"
#include "trace/read_ledger.hpp"
#include "trace/read_sidecar.hpp"
#include "trace/recording_lock.hpp"
#include "trace/side_by_side.hpp"
#include "trace/sidecar.hpp"
#include "trace/sound_event.hpp"
#include "trace/stream_cursor.hpp"
#include "trace/stream_indexer.hpp"
#include "trace/stream_segments.hpp"
#include "trace/undelivered.hpp"

namespace dpm {
namespace {

constexpr std::size_t kBatchEvents = 4096;

// Which sources measure and others do not.
bool is_sometimes_measured(std::string_view field) {
  return same_name(field, "procTime") || same_name(field, "readyTime") || same_name(field, "diskTime");
}

bool names_field(std::string_view rules, std::string_view field) {
  for (std::size_t at = 0; at + field.size() <= rules.size(); ++at)
    if (same_name(rules.substr(at, field.size()), field)) return true;
  return false;
}

}  // namespace

struct TraceReader::State {
  std::string directory;
  Sidecar sidecar;
  std::unique_ptr<PacketDecoder> decoder;
  std::vector<MissingField> missing_fields;
  std::vector<bool> is_split;  // by process
  bool has_split = false;
  bool being_recorded = false;
  Ledger ledger;
  std::vector<StreamSegments> streams;
  std::map<std::string, FileReader> held_open;  // by file
  std::vector<Loss> undelivered;                // to the filter that wrote the trace
  std::optional<DeliveryReport> deliveries;     // to it

  void list_missing_fields() {
    for (const auto& filter : sidecar.description.filters) {
      if (filter.rules.empty()) continue;  // a field that is not there is one that the source does not have
      for (const auto& record : filter.classes) {
        const auto& layout = sidecar.description.layouts[record.layout];
        for (std::size_t i = 0; i < layout.fields.size(); ++i) {
          const MissingField missing{layout.name, layout.fields[i].name, filter.name};
          const bool is_known =
              std::find(missing_fields.begin(), missing_fields.end(), missing) != missing_fields.end();
          const bool by_rules = !is_sometimes_measured(missing.field) || names_field(filter.rules, missing.field);
          if (!record.has(i) && !is_known && by_rules) missing_fields.push_back(missing);
        }
      }
    }
  }

  std::string path_of(const StreamSummary& summary) const {
    return fmt::format("{}/{}/{}", directory, kStreamFolder, summary.file);
  }

  Result<FileReader> open_file(const StreamSummary& summary) const {
    const auto found = held_open.find(summary.file);
    return found != held_open.end() ? found->second.again() : FileReader::open(path_of(summary));
  }

  // So that the recorder removes none while the trace is read, however often. It removes the oldest first: they are
  // opened from the newest on.
  void hold_segments_open() {
    for (StreamSegments& stream : streams) {
      for (std::size_t left = stream.files.size(); left > 0; --left) {
        auto file = FileReader::open(path_of(stream.files[left - 1]));
        if (file) {
          held_open.emplace(stream.files[left - 1].file, *std::move(file));
          continue;
        }
        if (errno == EMFILE || errno == ENFILE) return;
        if (may_have_no_file(sidecar, stream.files[left - 1])) continue;
        stream.remove_before(left);
        break;
      }
    }
  }

  StreamCursor cursor_of(const StreamSegments& stream) {
    return {stream, sidecar, *decoder, [this](const StreamSummary& summary) { return open_file(summary); }};
  }

  void survey();

  // True: it is the first event of the process.
  bool note_stream(ProcessId process, std::uint32_t stream, std::vector<std::uint32_t>& stream_of_process) {
    if (process.value >= stream_of_process.size()) stream_of_process.resize(process.value + 1u);
    auto& first = stream_of_process[process.value];
    const bool is_first = first == 0;
    if (!is_first && first != stream + 1) mark_split(process);
    first = stream + 1;
    return is_first;
  }

  void mark_split(ProcessId process) {
    if (process.value >= is_split.size()) is_split.resize(process.value + 1u);
    is_split[process.value] = true;
    has_split = true;
  }

  // Besides what every reader checks: analyses rely on the machine of a process that does something.
  bool is_sound(const Event& event, const TableSizes& sizes) const {
    return ids_are_known(event, sizes) && values_are_possible(event) && !sidecar.info[event.process].machine.is_none();
  }

  template <typename Take>
  void read_streams(std::size_t first, std::size_t end, Take&& take, TraceRead& found);
  LossReport read(const Deliver& deliver);
  LossReport account_for(const TraceRead& found);
  PacketIndex make_index() const;
};

// Reads everything once without delivering: finds the ids in use, and the processes whose events stand in several
// streams.
void TraceReader::State::survey() {
  IdsInUse ids(TableSizes::of(sidecar.info));
  ids.count_removed(removed_records(streams));
  std::set<ProcessId> began_before;  // and have their first event in the middle of their run
  std::vector<std::uint32_t> stream_of_process;
  std::map<ProcessId, MachineId> first_machine;  // where processes that trace.json doesn't place were first seen
  for (std::uint32_t i = 0; i < streams.size(); ++i) {
    const auto look = [&](const Event& event) {
      if (!ids.add(event)) return false;
      const bool is_first = note_stream(event.process, i, stream_of_process);
      if (is_first && streams[i].removed > 0 && event.type != EventType::start_process)
        began_before.insert(event.process);
      const auto& processes = sidecar.info.processes;
      if (event.process.value >= processes.size() || processes[event.process.value].machine.is_none())
        first_machine.try_emplace(event.process, event.machine);
      return true;
    };
    StreamCursor cursor = cursor_of(streams[i]);
    while (cursor.read_packet(look)) continue;
  }
  name_unnamed(sidecar.info, ids.sizes());
  for (const auto process : began_before) sidecar.info.processes[process.value].acquired = true;
  for (const auto& [process, machine] : first_machine) sidecar.info.processes[process.value].machine = machine;
}

template <typename Take>
void TraceReader::State::read_streams(std::size_t first, std::size_t end, Take&& take, TraceRead& found) {
  std::vector<StreamCursor> cursors;
  for (std::size_t i = first; i < end; ++i) cursors.push_back(cursor_of(streams[i]));
  read_side_by_side(cursors, [&](StreamCursor& cursor, std::size_t place) {
    return cursor.read_packet([&](const Event& event) { return take(event, first + place); });
  });
  for (const StreamCursor& cursor : cursors) {
    found.delivered += cursor.records();
    cursor.add_losses_to(found.losses);
  }
}

LossReport TraceReader::State::read(const Deliver& deliver) {
  const TableSizes sizes = TableSizes::of(sidecar.info);
  std::vector<Event> batch;
  batch.reserve(kBatchEvents);
  const auto send = [&](const Event& event) {
    batch.push_back(event);
    if (decoder->is_foreign() && event.evidence == Evidence::inferred) decoder->names().number(batch.back());
    if (batch.size() < kBatchEvents) return;
    deliver(batch);
    batch.clear();
  };
  decoder->names().restart_sequences();
  std::map<ProcessId, std::vector<std::vector<Event>>> held;  // events of split processes, by stream
  TraceRead found{.delivered = 0,
                  .losses = {},
                  .undelivered = undelivered,
                  .deliveries = deliveries,
                  .being_recorded = being_recorded};
  found.removed = removed_records(streams);
  const auto take = [&](const Event& event, std::size_t stream) {
    if (!is_sound(event, sizes)) return false;
    if (has_split && event.process.value < is_split.size() && is_split[event.process.value]) {
      auto& by_stream = held[event.process];
      by_stream.resize(streams.size());
      by_stream[stream].push_back(event);
    } else {
      send(event);
    }
    return true;
  };
  // Records of foreign sources are numbered in the order of the streams.
  const std::size_t together = decoder->is_foreign() ? 1 : kSideBySide;
  for (std::size_t first = 0; first < streams.size(); first += together)
    read_streams(first, std::min(first + together, streams.size()), take, found);
  for (const auto& [process, by_stream] : held)
    for (const Event& event : merge_streams_of_process(by_stream)) send(event);
  if (!batch.empty()) deliver(batch);
  return account_for(found);
}

LossReport TraceReader::State::account_for(const TraceRead& found) {
  ledger = ledger_of(sidecar, found);
  for (const auto& missing : missing_fields)
    ledger.warnings.push_back(fmt::format("field {} of {} was discarded by the rules of filter '{}'", missing.field,
                                          missing.layout, missing.filter));
  return {found.delivered + ledger.lost, ledger.losses, ledger.warnings};
}

TraceReader::TraceReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
TraceReader::TraceReader(TraceReader&&) noexcept = default;
TraceReader& TraceReader::operator=(TraceReader&&) noexcept = default;
TraceReader::~TraceReader() = default;

std::string trace_directory(const std::string& path) {
  const std::filesystem::path inside = std::filesystem::path(path) / "trace";
  std::error_code wrong;
  const bool is_there = std::filesystem::exists(inside / kSidecarName, wrong);
  // Of another user: finding out more is refused, which the reader reports.
  const bool is_closed = wrong == std::errc::permission_denied && std::filesystem::is_directory(inside, wrong);
  return is_there || is_closed ? inside.string() : path;
}

Result<std::string> find_trace(const std::string& named) {
  const std::string directory = trace_directory(named);
  std::error_code wrong;
  const auto is_closed = [&] { return wrong == std::errc::permission_denied; };
  const Error closed{
      fmt::format("open trace {}: {}", directory, std::make_error_code(std::errc::permission_denied).message())};
  const std::string hint = " ('dpm run -o OUT' and 'dpm meter -o OUT' write a trace into OUT)";
  if (!std::filesystem::exists(directory, wrong))
    return is_closed() ? closed : Error{fmt::format("{}: no such directory{}", directory, hint)};
  if (holds_results(directory)) return results_are_no_trace(directory);
  if (!std::filesystem::is_directory(directory, wrong))
    return Error{fmt::format("{}: not a directory{}", directory, hint)};
  if (!std::filesystem::exists(fmt::format("{}/{}", directory, kSidecarName), wrong))
    return is_closed() ? closed : Error{fmt::format("{}: not a trace: it has no {}{}", directory, kSidecarName, hint)};
  return directory;
}

Result<TraceReader> TraceReader::open(const std::string& named) {
  const auto found = find_trace(named);
  if (!found) return found.error();
  const std::string& directory = *found;
  const bool being_recorded = is_being_recorded(directory);  // before trace.json is read: it may end in between
  auto sidecar = read_sidecar(directory);
  if (!sidecar) return sidecar.error();
  const auto undelivered = read_undelivered(directory);
  if (!undelivered) return undelivered.error();
  Result<std::optional<DeliveryReport>> deliveries = std::optional<DeliveryReport>();
  if (!sidecar->finished && !being_recorded) deliveries = read_delivery_report(directory);
  if (!deliveries) return deliveries.error();
  auto state = std::make_unique<State>();
  state->directory = directory;
  state->undelivered = losses_of(*undelivered);
  state->deliveries = *std::move(deliveries);
  state->sidecar = *std::move(sidecar);
  state->being_recorded = being_recorded;
  state->decoder = std::make_unique<PacketDecoder>(state->sidecar.description, state->sidecar.info);
  state->list_missing_fields();
  state->streams = find_streams(directory, state->sidecar);
  if (being_recorded && state->sidecar.window_ns > 0) state->hold_segments_open();
  // Which processes had begun before is only in the events; and split processes are named by their ids, not by rows.
  const bool is_cut = removed_records(state->streams) > 0 || state->sidecar.ids.has_gaps();
  if (state->sidecar.finished && state->sidecar.split_processes && !is_cut) {
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

bool TraceReader::can_be_read_in_parts() const {
  const State& state = *state_;
  const Sidecar& sidecar = state.sidecar;
  return sidecar.finished && sidecar.split_processes && !state.has_split && sidecar.window_ns == 0 &&
         !sidecar.ids.has_gaps() && !state.being_recorded && !state.decoder->is_foreign();
}

Result<PacketIndex> TraceReader::index() const {
  auto found = PacketIndex::read(state_->directory);
  if (!found) return found.error();
  if (*found) return std::move(**found);
  PacketIndex index = state_->make_index();
  (void)replace_file(fmt::format("{}/{}", state_->directory, kPacketIndexName), index.to_bytes());
  return index;
}

MachineId TraceReader::machine_of_stream(const std::string& file) const {
  for (const StreamSegments& stream : state_->streams)
    if (stream.name == file) return stream.files.front().machine;
  return {};
}

PacketIndex TraceReader::State::make_index() const {
  std::vector<std::string> of_streams;
  for (const StreamSegments& stream : streams) {
    StreamIndexer indexer(stream.name);
    if (auto file = StreamFile::open(path_of(stream.files.front()))) {
      while (const auto packet = file->next()) {
        if (!decoder->can_read(packet->head)) break;
        decoder->note_events(*packet, [&](const Event& event) {
          if (event.process.value < sidecar.info.processes.size()) indexer.note(event.process, event.local_time);
        });
        indexer.end_packet(packet->head);
      }
    }
    of_streams.push_back(indexer.bytes());
  }
  auto index = PacketIndex::from_bytes("", index_bytes(of_streams));
  DPM_CHECK(index.has_value());
  return *std::move(index);
}

std::optional<std::uint64_t> TraceReader::read_part(const PacketIndex& index, const Part& part,
                                                    const Deliver& deliver) {
  const TableSizes sizes = TableSizes::of(state_->sidecar.info);
  std::vector<Event> batch;
  batch.reserve(kBatchEvents);
  std::uint64_t delivered = 0;
  const auto send = [&] {
    if (!batch.empty()) deliver(batch);
    delivered += batch.size();
    batch.clear();
  };
  const auto take = [&](const Event& event, bool is_in_time) {
    if (!state_->is_sound(event, sizes)) return false;
    if (!is_in_time) return true;
    batch.push_back(event);
    if (batch.size() == kBatchEvents) send();
    return true;
  };
  for (std::size_t first = 0; first < state_->streams.size(); first += kSideBySide) {
    std::vector<PartCursor> cursors;
    for (std::size_t i = first; i < std::min(first + kSideBySide, state_->streams.size()); ++i) {
      const StreamSegments& stream = state_->streams[i];
      const IndexedStream* indexed = index.of(stream.name);
      if (indexed == nullptr) return std::nullopt;
      const TimeSpan times = part.times_of ? part.times_of(stream.files.front().machine) : TimeSpan();
      cursors.emplace_back(*indexed, state_->path_of(stream.files.front()), *state_->decoder, part.has, times);
    }
    read_side_by_side(cursors, [&](PartCursor& cursor, std::size_t /*place*/) { return cursor.read_packet(take); });
    if (!std::all_of(cursors.begin(), cursors.end(), [](const auto& cursor) { return cursor.is_well(); }))
      return std::nullopt;
  }
  send();
  return delivered;
}

LossReport TraceReader::report_of(std::uint64_t delivered) {
  return state_->account_for(
      {.delivered = delivered, .losses = {}, .undelivered = state_->undelivered, .being_recorded = false});
}

bool TraceReader::is_held_open() const { return !state_->held_open.empty(); }
const TraceInfo& TraceReader::info() const { return state_->sidecar.info; }
const TraceDescription& TraceReader::description() const { return state_->sidecar.description; }
bool TraceReader::is_finished() const { return state_->sidecar.finished; }
const std::vector<MissingField>& TraceReader::missing_fields() const { return state_->missing_fields; }
const Ledger& TraceReader::ledger() const { return state_->ledger; }
LossReport TraceReader::read(const Deliver& deliver) { return state_->read(deliver); }

}  // namespace dpm
