#include "trace/trace_follower.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "model/check.hpp"
#include "trace/ids_in_use.hpp"
#include "trace/names_journal.hpp"
#include "trace/packet_decoder.hpp"
#include "trace/read_ledger.hpp"
#include "trace/read_sidecar.hpp"
#include "trace/recording_lock.hpp"
#include "trace/sound_event.hpp"
#include "trace/stream_file.hpp"
#include "trace/trace_reader.hpp"
#include "trace/undelivered.hpp"

namespace dpm {
namespace {

// Which version of a file it is: trace.json is replaced as a whole, a folder changes when a file is added.
using FileVersion = std::tuple<ino_t, off_t, std::int64_t, std::int64_t>;

FileVersion version_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

}  // namespace

struct TraceFollower::State {
  struct Stream {
    StreamSummary summary;
    std::optional<StreamFile> file;
    StreamOutcome outcome;
    bool at_end = false;  // for now
    bool refused = false;
  };

  std::string directory;
  Sidecar sidecar;
  FileVersion sidecar_version, folder_version;
  std::optional<NamesJournalReader> journal;
  std::unique_ptr<PacketDecoder> decoder;
  TableSizes described;  // by the recorder
  IdsInUse ids{TableSizes{}};
  std::map<ProcessId, MachineId> first_machine;  // of processes that the recorder has not placed
  std::vector<Stream> streams;
  std::size_t turn = 0;  // the stream whose packet is next
  bool recording = true;
  bool over = false;
  std::vector<Event> batch;
  PacketPlace place;  // of `batch`
  std::uint64_t delivered = 0;
  Ledger ledger;

  std::string path_of(const char* name) const { return fmt::format("{}/{}", directory, name); }

  Result<void> read_description();
  void keep_interned(TraceInfo before);
  void learn_names();
  void look_again();
  void list_streams();
  bool read_packet(Stream& stream, const Deliver& deliver);
  void read_again(const PacketPlace& place, const Deliver& deliver);
  bool take(const Event& event);
  void place_processes();
  void settle_ledger();
};

// All of trace.json; names that it leaves to the journal are added as they come.
Result<void> TraceFollower::State::read_description() {
  const FileVersion version = version_of(path_of(kSidecarName));
  auto read = read_sidecar_alone(directory);
  if (!read) return read.error();
  std::optional<NamesJournalReader> names;
  if (read->has_journal) {
    auto opened = NamesJournalReader::open(path_of(kNamesJournalName));
    if (!opened) return opened.error();
    names = *std::move(opened);
  }
  TraceInfo before = std::move(sidecar.info);
  sidecar = *std::move(read);
  if (decoder != nullptr && decoder->is_foreign()) keep_interned(std::move(before));
  described = TableSizes::of(sidecar.info);
  journal = std::move(names);
  sidecar_version = version;
  return {};
}

// The ids of foreign records are given here, and not by the recorder.
void TraceFollower::State::keep_interned(TraceInfo before) {
  for (auto i = before.machines.size(); i < sidecar.info.machines.size(); ++i)
    before.machines.push_back(std::move(sidecar.info.machines[i]));
  sidecar.info = std::move(before);
}

// The recorder writes a name before the first event with it. The names that name_unnamed() gave are in the way of those
// that come.
void TraceFollower::State::learn_names() {
  TraceInfo& info = sidecar.info;
  if (journal) {
    info.machines.resize(described.machines);
    info.processes.resize(described.processes);
    info.channels.resize(described.channels);
    info.channel_sets.resize(described.channel_sets);
    journal->read(info);
    described = TableSizes::of(info);
  }
  ids.describe(TableSizes::of(info));
  name_unnamed(info, ids.sizes());
  for (const auto& [process, machine] : first_machine)
    if (info.processes[process.value].machine.is_none()) info.processes[process.value].machine = machine;
}

// What has changed beside the streams that are known. A description that cannot be read now is read at the next look.
void TraceFollower::State::look_again() {
  const bool was_recording = recording;
  recording = is_being_recorded(directory);  // before trace.json is read: it may end in between
  if (version_of(path_of(kSidecarName)) != sidecar_version && !read_description()) sidecar_version = {};
  learn_names();
  const FileVersion folder = version_of(path_of(kStreamFolder));
  if (folder != folder_version || was_recording != recording) list_streams();
  folder_version = folder;
  for (Stream& stream : streams) stream.at_end = false;
}

void TraceFollower::State::list_streams() {
  std::vector<StreamSummary> found = sidecar.streams;
  if (!sidecar.finished) add_unlisted_streams(directory, found);
  for (const StreamSummary& summary : found) {
    const auto known = std::find_if(streams.begin(), streams.end(),
                                    [&](const Stream& stream) { return stream.summary.file == summary.file; });
    if (known == streams.end())
      streams.push_back({summary, std::nullopt, {}, false, false});
    else if (!summary.machine.is_none())
      known->summary = summary;
  }
}

// False: it has no packet for now.
bool TraceFollower::State::read_packet(Stream& stream, const Deliver& deliver) {
  if (!stream.file) {
    auto opened = StreamFile::open(fmt::format("{}/{}/{}", directory, kStreamFolder, stream.summary.file));
    if (!opened) {
      stream.outcome.damage = fmt::format("cannot be read ({})", opened.error().what);
      stream.refused = !recording;
      return false;
    }
    stream.file = *std::move(opened);
    stream.outcome.damage.clear();
  }
  const auto packet = stream.file->next(recording ? FileEnd::may_grow : FileEnd::final);
  stream.outcome.packets_missing = stream.file->packets_missing();
  stream.outcome.damage = stream.file->damage();
  if (!packet) return false;
  const StreamSummary& summary = stream.summary;
  const bool is_other = !summary.machine.is_none() &&
                        (packet->head.machine != summary.machine.value || packet->head.filter != summary.filter);
  if (is_other || !decoder->can_read(packet->head)) {
    stream.outcome.damage = kOtherStream;
    stream.refused = true;
    return false;
  }
  decoder->read(*packet, stream.outcome, [&](const Event& event) { return take(event); });
  if (!(ids.sizes() == TableSizes::of(sidecar.info))) learn_names();
  place_processes();
  const std::uint64_t offset = stream.file->packet_offset();
  place = {static_cast<std::uint32_t>(&stream - streams.data()), offset, offset};
  delivered += batch.size();
  if (!batch.empty()) deliver(batch);
  batch.clear();
  return true;
}

void TraceFollower::State::read_again(const PacketPlace& at, const Deliver& deliver) {
  DPM_CHECK(at.stream < streams.size());
  const auto path = fmt::format("{}/{}/{}", directory, kStreamFolder, streams[at.stream].summary.file);
  auto file = StreamFile::open(path, at.first);
  if (!file) return;
  const TableSizes sizes = TableSizes::of(sidecar.info);
  std::vector<Event> again;
  while (const auto packet = file->next()) {
    if (file->packet_offset() > at.last || !decoder->can_read(packet->head)) return;
    StreamOutcome ignored;
    decoder->read(*packet, ignored, [&](const Event& event) {
      const bool is_sound = values_are_possible(event) && ids_are_known(event, sizes);
      if (is_sound) again.push_back(event);
      return is_sound;
    });
    deliver(again);
    again.clear();
  }
}

// Analyses rely on the machine of a process that does something.
void TraceFollower::State::place_processes() {
  for (const Event& event : batch) {
    MachineId& machine = sidecar.info.processes[event.process.value].machine;
    if (!machine.is_none()) continue;
    machine = event.machine;
    first_machine.emplace(event.process, event.machine);
  }
}

bool TraceFollower::State::take(const Event& event) {
  if (!values_are_possible(event) || !ids.add(event)) return false;
  batch.push_back(event);
  if (decoder->is_foreign() && event.evidence == Evidence::inferred) decoder->names().number(batch.back());
  return true;
}

void TraceFollower::State::settle_ledger() {
  TraceRead found{.delivered = delivered, .losses = {}, .undelivered = {}, .being_recorded = recording};
  for (const Stream& stream : streams) add_losses(stream.summary, stream.outcome, sidecar.finished, found.losses);
  if (const auto undelivered = read_undelivered(directory)) found.undelivered = losses_of(*undelivered);
  ledger = ledger_of(sidecar, found);
}

TraceFollower::TraceFollower(std::unique_ptr<State> state) : state_(std::move(state)) {}
TraceFollower::TraceFollower(TraceFollower&&) noexcept = default;
TraceFollower& TraceFollower::operator=(TraceFollower&&) noexcept = default;
TraceFollower::~TraceFollower() = default;

Result<TraceFollower> TraceFollower::open(const std::string& path) {
  const auto directory = find_trace(path);
  if (!directory) return directory.error();
  auto state = std::make_unique<State>();
  state->directory = *directory;
  if (auto read = state->read_description(); !read) return read.error();
  state->decoder = std::make_unique<PacketDecoder>(state->sidecar.description, state->sidecar.info);
  state->learn_names();
  return TraceFollower(std::move(state));
}

const TraceInfo& TraceFollower::info() const { return state_->sidecar.info; }
bool TraceFollower::is_over() const { return state_->over; }
bool TraceFollower::is_cut_off() const { return state_->over && !state_->sidecar.finished; }

double TraceFollower::read_share() const {
  double read = 0, all = 0;
  for (const State::Stream& stream : state_->streams) {
    if (!stream.file) continue;
    const auto bytes = static_cast<double>(stream.file->bytes());
    all += bytes;
    read +=
        stream.at_end || stream.refused ? bytes : std::min(bytes, static_cast<double>(stream.file->packet_offset()));
  }
  return all > 0 ? read / all : 1;
}
PacketPlace TraceFollower::place() const { return state_->place; }
void TraceFollower::read_again(const PacketPlace& place, const Deliver& deliver) { state_->read_again(place, deliver); }
const Ledger& TraceFollower::ledger() const { return state_->ledger; }

std::uint64_t TraceFollower::poll(const Deliver& deliver, std::uint64_t events_max) {
  State& state = *state_;
  if (state.over) return 0;
  const std::uint64_t before = state.delivered;
  state.look_again();
  std::size_t ended = 0;
  while (state.delivered - before < events_max && ended < state.streams.size()) {
    State::Stream& stream = state.streams[state.turn++ % state.streams.size()];
    if (!stream.at_end && !stream.refused) stream.at_end = !state.read_packet(stream, deliver);
    ended = stream.at_end || stream.refused ? ended + 1 : 0;
  }
  state.over = !state.recording && ended == state.streams.size();
  state.settle_ledger();
  return state.delivered - before;
}

}  // namespace dpm
