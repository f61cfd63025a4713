#include "trace/trace_follower.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "model/check.hpp"
#include "model/counted.hpp"
#include "trace/ids_in_use.hpp"
#include "trace/names_journal.hpp"
#include "trace/packet_decoder.hpp"
#include "trace/read_ledger.hpp"
#include "trace/read_sidecar.hpp"
#include "trace/recording_lock.hpp"
#include "trace/segment_name.hpp"
#include "trace/sound_event.hpp"
#include "trace/stream_file.hpp"
#include "trace/stream_segments.hpp"
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
    std::string name;
    std::map<std::uint64_t, StreamSummary> ahead;  // segments by the records before them; the first is being read
    std::optional<StreamFile> file;                // of that one
    std::uint32_t number = 0;                      // of that one in `files`
    StreamOutcome outcome;                         // of that one
    std::uint64_t position = 0;  // in the stream: the records that were read, removed or lost before that one
    bool has_begun = false;      // a segment was opened
    bool cut = false;            // its beginning was removed
    bool at_end = false;         // for now
    bool refused = false;
  };

  std::string directory;
  Sidecar sidecar;
  FileVersion sidecar_version, folder_version, names_version;
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
  PacketPlace place;               // of `batch`
  std::vector<std::string> files;  // that were opened, for PacketPlace::stream
  std::uint64_t delivered = 0, removed = 0, missed = 0;
  std::vector<Loss> losses;             // of segments that were read to their end
  std::vector<bool> seen;               // by process, in a trace with a window
  std::vector<ProcessId> began_before;  // processes that had begun before the first event that is left
  std::size_t told_began_before = 0;    // how many of them are `acquired` in `info`
  Ledger ledger;

  std::string path_of(const char* name) const { return fmt::format("{}/{}", directory, name); }

  Result<void> read_description();
  void keep_interned(TraceInfo before);
  void reopen_replaced_journal();
  void learn_names();
  void look_again();
  void list_streams();
  void forget_removed(Stream& stream, const StreamSegments& found);
  void add_segment(Stream& stream, const StreamSummary& summary);
  bool open_segment(Stream& stream);
  void pass_segment(Stream& stream);
  void pass_removed(Stream& stream, std::uint64_t before);
  bool read_packet(Stream& stream, const Deliver& deliver);
  void read_again(const PacketPlace& place, const Deliver& deliver);
  bool take(const Event& recorded, const Stream& stream);
  Event with_rows(const Event& recorded) const;
  void note_beginning(const Event& event, bool cut);
  void place_processes();
  void settle_ledger();
};

// All of trace.json; names that it leaves to the journal are added as they come.
Result<void> TraceFollower::State::read_description() {
  const FileVersion version = version_of(path_of(kSidecarName));
  auto read = read_sidecar_alone(directory);
  if (!read) return read.error();
  // The rows of a journal with gaps are given here: they stay as they are.
  const bool goes_on = journal && read->has_journal && read->window_ns > 0;
  std::optional<NamesJournalReader> names;
  const FileVersion journal_version = version_of(path_of(kNamesJournalName));
  if (read->has_journal && !goes_on) {
    auto opened = NamesJournalReader::open(path_of(kNamesJournalName), TableSizes::of(read->info));
    if (!opened) return opened.error();
    names = *std::move(opened);
  }
  TraceInfo before = std::move(sidecar.info);
  sidecar = *std::move(read);
  sidecar_version = version;
  if (goes_on) {
    before.machines.resize(described.machines);
    keep_interned(std::move(before));
    described.machines = sidecar.info.machines.size();
    return {};
  }
  if (decoder != nullptr && decoder->is_foreign()) keep_interned(std::move(before));
  described = TableSizes::of(sidecar.info);
  journal = std::move(names);
  names_version = journal_version;
  return {};
}

// The ids of foreign records are given here, and not by the recorder.
void TraceFollower::State::keep_interned(TraceInfo before) {
  for (auto i = before.machines.size(); i < sidecar.info.machines.size(); ++i)
    before.machines.push_back(std::move(sidecar.info.machines[i]));
  sidecar.info = std::move(before);
}

// A recorder with a window writes its journal again from time to time.
void TraceFollower::State::reopen_replaced_journal() {
  const FileVersion version = version_of(path_of(kNamesJournalName));
  const bool is_replaced = std::get<ino_t>(version) != std::get<ino_t>(names_version);
  if (is_replaced && journal->reopen(path_of(kNamesJournalName))) names_version = version;
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
    reopen_replaced_journal();
    journal->read(info, ids.sizes());
    described = TableSizes::of(info);
  }
  ids.describe(TableSizes::of(info));
  name_unnamed(info, ids.sizes());
  for (const auto& [process, machine] : first_machine)
    if (info.processes[process.value].machine.is_none()) info.processes[process.value].machine = machine;
  told_began_before = 0;
}

// What has changed beside the streams that are known. A description that cannot be read now is read at the next look.
void TraceFollower::State::look_again() {
  const bool was_recording = recording;
  recording = is_being_recorded(directory);  // before trace.json is read: it may end in between
  if (version_of(path_of(kSidecarName)) != sidecar_version && !read_description()) sidecar_version = {};
  learn_names();
  const FileVersion folder = version_of(path_of(kStreamFolder));
  if (sidecar.window_ns > 0 || folder != folder_version || was_recording != recording) list_streams();
  folder_version = folder;
  for (Stream& stream : streams) stream.at_end = false;
}

void TraceFollower::State::list_streams() {
  for (const StreamSegments& found : find_streams(directory, sidecar)) {
    auto known =
        std::find_if(streams.begin(), streams.end(), [&](const Stream& stream) { return stream.name == found.name; });
    if (known == streams.end()) {
      streams.emplace_back().name = found.name;
      known = streams.end() - 1;
    }
    if (sidecar.window_ns > 0) forget_removed(*known, found);
    for (const StreamSummary& summary : found.files) add_segment(*known, summary);
  }
}

// Segments that were seen before, and are not there any more. One that is being read stays.
void TraceFollower::State::forget_removed(Stream& stream, const StreamSegments& found) {
  const std::uint64_t oldest = SegmentName::of(found.files.front().file).before;
  auto segment = stream.ahead.begin();
  if (stream.file) ++segment;
  while (segment != stream.ahead.end() && segment->first < oldest) segment = stream.ahead.erase(segment);
}

void TraceFollower::State::add_segment(Stream& stream, const StreamSummary& summary) {
  const std::uint64_t before = sidecar.window_ns > 0 ? SegmentName::of(summary.file).before : 0;
  const bool is_passed = before < (stream.file ? stream.ahead.begin()->first : stream.position);
  if (is_passed) return;
  const auto [segment, is_new] = stream.ahead.try_emplace(before, summary);
  if (!is_new && !summary.machine.is_none()) segment->second = summary;
}

// Opens the oldest segment that is there. False: none is, for now.
bool TraceFollower::State::open_segment(Stream& stream) {
  while (!stream.file) {
    if (stream.ahead.empty()) return false;
    const auto& [before, summary] = *stream.ahead.begin();
    auto opened = StreamFile::open(fmt::format("{}/{}/{}", directory, kStreamFolder, summary.file));
    if (opened) {
      pass_removed(stream, before);
      stream.has_begun = true;
      stream.file = *std::move(opened);
      stream.number = static_cast<std::uint32_t>(files.size());
      files.push_back(summary.file);
      stream.outcome.damage.clear();
    } else if (sidecar.window_ns > 0 && !sidecar.finished && stream.ahead.size() > 1) {
      stream.ahead.erase(stream.ahead.begin());  // it was removed
    } else if (sidecar.window_ns > 0 && summary.records == 0) {
      pass_removed(stream, before);  // nothing is left of the stream
      return false;
    } else {
      stream.outcome.damage = fmt::format("cannot be read ({})", opened.error().what);
      stream.refused = !recording;
      return false;
    }
  }
  return true;
}

// The oldest that is left has that number of records before it.
void TraceFollower::State::pass_removed(Stream& stream, std::uint64_t before) {
  if (before <= stream.position) return;
  const std::uint64_t gap = before - stream.position;
  removed += gap;
  ids.count_removed(gap);
  if (stream.has_begun) missed += gap;
  stream.cut = true;
  stream.position = before;
}

// The recorder has written all of a segment when the next one is there.
void TraceFollower::State::pass_segment(Stream& stream) {
  auto& [before, summary] = *stream.ahead.begin();
  const std::uint64_t next = std::next(stream.ahead.begin())->first;
  const StreamOutcome& outcome = stream.outcome;
  const bool is_sound = outcome.damage.empty() && outcome.packets_missing == 0;
  // How many records a damaged segment had is known if the next one is still there.
  if (!is_sound) summary.records = std::max(summary.records, next - before);
  add_losses(summary, outcome, sidecar.finished, losses);
  stream.position = before + std::max(summary.records, outcome.records + outcome.no_event + outcome.malformed);
  stream.ahead.erase(stream.ahead.begin());
  stream.file.reset();
  stream.outcome = {};
}

// False: it has no packet for now.
bool TraceFollower::State::read_packet(Stream& stream, const Deliver& deliver) {
  std::optional<Packet> packet;
  while (!packet) {
    if (!open_segment(stream)) return false;
    const bool is_last = stream.ahead.size() == 1;
    packet = stream.file->next(recording && is_last ? FileEnd::may_grow : FileEnd::final);
    stream.outcome.packets_missing = stream.file->packets_missing();
    stream.outcome.damage = stream.file->damage();
    if (!packet && is_last) return false;
    if (!packet) pass_segment(stream);
  }
  const StreamSummary& summary = stream.ahead.begin()->second;
  const bool is_other = !summary.machine.is_none() &&
                        (packet->head.machine != summary.machine.value || packet->head.filter != summary.filter);
  if (is_other || !decoder->can_read(packet->head)) {
    stream.outcome.damage = kOtherStream;
    stream.refused = true;
    return false;
  }
  decoder->read(*packet, stream.outcome, [&](const Event& event) { return take(event, stream); });
  if (!(ids.sizes() == TableSizes::of(sidecar.info))) learn_names();
  for (; told_began_before < began_before.size(); ++told_began_before)
    sidecar.info.processes[began_before[told_began_before].value].acquired = true;
  place_processes();
  const std::uint64_t offset = stream.file->packet_offset();
  place = {stream.number, offset, offset};
  delivered += batch.size();
  if (!batch.empty()) deliver(batch);
  batch.clear();
  return true;
}

void TraceFollower::State::read_again(const PacketPlace& at, const Deliver& deliver) {
  DPM_CHECK(at.stream < files.size());
  const auto path = fmt::format("{}/{}/{}", directory, kStreamFolder, files[at.stream]);
  auto file = StreamFile::open(path, at.first);
  if (!file) return;
  const TableSizes sizes = TableSizes::of(sidecar.info);
  std::vector<Event> again;
  while (const auto packet = file->next()) {
    if (file->packet_offset() > at.last || !decoder->can_read(packet->head)) return;
    StreamOutcome ignored;
    decoder->read(*packet, ignored, [&](const Event& recorded) {
      const Event event = with_rows(recorded);
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

// The ids of the tables.
Event TraceFollower::State::with_rows(const Event& recorded) const {
  Event event = recorded;
  if (journal && journal->ids().has_gaps()) journal->ids().to_rows(event);
  return event;
}

bool TraceFollower::State::take(const Event& recorded, const Stream& stream) {
  const Event event = with_rows(recorded);
  // The file that was being read was removed long ago, and the names with it.
  if (event.process.is_none() && !recorded.process.is_none()) {
    ++removed, ++missed;
    return true;
  }
  if (!values_are_possible(event) || !ids.add(event)) return false;
  if (sidecar.window_ns > 0) note_beginning(event, stream.cut);
  batch.push_back(event);
  if (decoder->is_foreign() && event.evidence == Evidence::inferred) decoder->names().number(batch.back());
  return true;
}

// What was done before the first event that is left is not known.
void TraceFollower::State::note_beginning(const Event& event, bool cut) {
  if (event.process.value >= seen.size()) seen.resize(event.process.value + 1u);
  if (seen[event.process.value]) return;
  seen[event.process.value] = true;
  if (cut && event.type != EventType::start_process) began_before.push_back(event.process);
}

void TraceFollower::State::settle_ledger() {
  TraceRead found{
      .delivered = delivered, .losses = losses, .undelivered = {}, .being_recorded = recording, .removed = removed};
  const auto is_read = [](const Stream& stream) { return stream.at_end || stream.refused; };
  found.is_partial = !std::all_of(streams.begin(), streams.end(), is_read);
  for (const Stream& stream : streams)
    if (!stream.ahead.empty() && is_read(stream))
      add_losses(stream.ahead.begin()->second, stream.outcome, sidecar.finished, found.losses);
  if (const auto undelivered = read_undelivered(directory)) found.undelivered = losses_of(*undelivered);
  if (!recording && !sidecar.finished)
    if (auto deliveries = read_delivery_report(directory)) found.deliveries = *std::move(deliveries);
  ledger = ledger_of(sidecar, found);
  if (missed > 0)
    ledger.warnings.push_back(fmt::format(
        "this viewer is slower than the recorder: {} were removed before it read them", counted(missed, "event")));
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
