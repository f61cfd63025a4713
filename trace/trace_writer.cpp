#include "trace/trace_writer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "trace/ctf_metadata.hpp"
#include "trace/ctf_packet.hpp"
#include "trace/event_fields.hpp"
#include "trace/files.hpp"
#include "trace/index_parts.hpp"
#include "trace/names_in_window.hpp"
#include "trace/names_journal.hpp"
#include "trace/packed_copy.hpp"
#include "trace/packed_packet.hpp"
#include "trace/packet_index.hpp"
#include "trace/recording_lock.hpp"
#include "trace/segment_queue.hpp"
#include "trace/sidecar.hpp"
#include "trace/spare_descriptor.hpp"
#include "trace/stream_indexer.hpp"

namespace dpm {
namespace {

constexpr std::size_t kRowsToWait = 16;
// Disk space that is freed for the last trace.json, so that a full disk cannot hide what was lost.
constexpr const char* kReserveName = "reserve";
constexpr std::size_t kReserveBytesMin = 64 * 1024;
// A disk on which so much can be written is not full any more. A single packet may fit again and again.
constexpr const char* kRoomName = "room";
constexpr std::size_t kRoomBytes = 4 * kPacketBytesMax;
// A longer journal stays a journal: to merge it into trace.json it must be held in memory as a whole.
constexpr std::uint64_t kJournalBytesTakenIn = std::uint64_t{16} << 20;
// With a window, a journal is written again when it is twice as long as what was left the last time, and this.
constexpr std::uint64_t kJournalBytesToRewrite = 64 * 1024;
// Of the index, for each stream.
constexpr std::size_t kIndexBytesKept = 2048;

struct PackedClass {
  PackedCopy copy;
  std::size_t payload_bytes = 0;
};

PackedClass pack(const RecordLayout& layout, const RecordClass& record) {
  PackedClass packed;
  for (std::size_t i = 0; i < layout.fields.size(); ++i) {
    if (!record.has(i)) continue;
    const RecordField& field = layout.fields[i];
    packed.copy.add(field.offset_bytes, static_cast<std::uint32_t>(packed.payload_bytes), field.length_bytes);
    packed.payload_bytes += field.length_bytes;
  }
  return packed;
}

// How many rows the tables have that grow while a source runs.
std::size_t rows_of(const TraceInfo& info) {
  return info.processes.size() + info.channels.size() + info.channel_sets.size() + info.modules.size() +
         info.wait_causes.size() + info.primitive_events.size();
}

struct Stream {
  MachineId machine;
  std::uint16_t filter = 0;
  SegmentQueue segments;
  std::uint32_t number = 0;
  PacketHead head;                // of the packet being filled
  std::vector<std::byte> packet;  // room for one packet
  std::size_t used_bytes = sizeof(PacketHead);
  std::uint64_t last_time_ns = 0;
  std::uint64_t records_refused = 0;
  StreamIndexer indexer;
};

}  // namespace

struct TraceWriter::State {
  std::string directory;
  RecordingLock lock;
  Sidecar sidecar;  // its `info` is refreshed from `source_info` whenever it is written
  const TraceInfo* source_info = nullptr;
  std::optional<NamesJournal> journal;            // of a source that keeps no tables
  std::optional<NamesInWindow> names;             // of the journal, if there is a window
  std::uint64_t names_rewritten_bytes = 0;        // of the journal when it was written again
  std::size_t rows_written = 0;                   // of the TraceInfo, with the last trace.json
  std::vector<std::vector<PackedClass>> classes;  // by filter, class
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::vector<Stream*>> stream_of;   // by filter, machine
  std::vector<bool> clock_declared;              // by machine
  std::vector<std::uint32_t> stream_of_process;  // last stream + 1; Events only
  std::vector<bool> is_split;
  bool takes_events = false;    // the layouts are event_layouts()
  bool knows_processes = true;  // every record was an Event
  bool ended = false;
  std::optional<PacketPacker> packer;  // of a compressed trace
  std::optional<IndexParts> index_parts;
  bool index_is_whole = true;
  std::optional<TraceWindow> window;
  std::int64_t now_ns = 0;                // by its clock, of the records that are being taken
  std::optional<std::int64_t> removable;  // before this instant no segment becomes older than the window
  std::size_t reserved_bytes = 0;
  Result<void> status;          // of all but trace.json, which each time is written as a whole:
  Result<void> sidecar_status;  // of the last time
  std::string problem;          // why the directory takes nothing now
  bool was_refused = false;     // something, since the last look
  SpareDescriptor spare;

  Result<void> append(const std::string& path, std::span<const std::byte> bytes) {
    const SpareDescriptor::Lent lent(spare);
    return append_to_file(path, bytes);
  }

  void note(Result<void> result) {
    note_refusal(result);
    if (status && !result) status = std::move(result);
  }
  void note_refusal(const Result<void>& result) {
    if (result) return;
    was_refused = true;
    if (problem.empty()) problem = result.error().what;
  }
  void look_for_room() {
    if (problem.empty() || std::exchange(was_refused, false)) return;
    const std::string path = fmt::format("{}/{}", directory, kRoomName);
    const auto found = reserve_file(path, kRoomBytes);
    ::unlink(path.c_str());
    if (found) problem.clear();
  }
  std::string ctf_path(const std::string& file) const {
    return fmt::format("{}/{}/{}", directory, kStreamFolder, file);
  }

  void write_sidecar() {
    if (source_info != nullptr) sidecar.info = *source_info;
    rows_written = rows_of(sidecar.info);
    sidecar.streams.clear();
    for (const auto& stream : streams)
      for (const Segment& segment : stream->segments.on_disk())
        sidecar.streams.push_back({segment.name.file(), stream->machine, stream->filter, segment.records});
    const std::string text = to_json(sidecar);
    {
      const SpareDescriptor::Lent lent(spare);
      sidecar_status = replace_file(fmt::format("{}/{}", directory, kSidecarName), text);
    }
    note_refusal(sidecar_status);
    if (!sidecar.finished) reserve(2 * text.size());
  }

  // Failure means that the disk is full already: the space reserved before stays.
  void reserve(std::size_t bytes) {
    if (bytes <= reserved_bytes || !status || !sidecar_status) return;
    bytes = std::max(bytes, kReserveBytesMin);
    if (reserve_file(fmt::format("{}/{}", directory, kReserveName), bytes)) reserved_bytes = bytes;
  }
  void give_back_reserve() { ::unlink(fmt::format("{}/{}", directory, kReserveName).c_str()); }

  // While names come late, at least two records in three have theirs on disk, whatever kills this process. Waiting
  // until the tables have grown by half keeps the work in proportion to what they hold at the end.
  void write_grown_tables() {
    if (source_info != nullptr && rows_of(*source_info) > rows_written + rows_written / 2 + kRowsToWait)
      write_sidecar();
  }

  void append_to_journal(const TraceGrowth& growth) {
    {
      const SpareDescriptor::Lent lent(spare);
      note(journal->append(growth));
    }
    if (!names) return;
    names->add(growth, window->clock());
    if (journal->bytes() > 2 * names_rewritten_bytes + kJournalBytesToRewrite) rewrite_journal();
  }

  // Those that there was no room for.
  void write_names() {
    if (!journal) return;
    const SpareDescriptor::Lent lent(spare);
    note(journal->write_rest());
  }

  // Records refer to what has ended for some time yet: a message of a process may be received after its end. So names are
  // kept as long as the records, and a window longer.
  void rewrite_journal() {
    std::int64_t oldest_ns = now_ns;
    for (const auto& stream : streams) oldest_ns = std::min(oldest_ns, stream->segments.first_ns().value_or(now_ns));
    names->forget_ended_before(oldest_ns - window->length.ns);
    const std::string text = names->journal();
    const SpareDescriptor::Lent lent(spare);
    note(journal->replace(text));
    names_rewritten_bytes = std::max<std::uint64_t>(text.size(), 1);
  }

  void take_in_journal() {
    if (!journal || journal->bytes() > kJournalBytesTakenIn) return;
    TraceInfo whole = sidecar.info;
    NameIds ids;
    const auto read = read_names_journal(fmt::format("{}/{}", directory, kNamesJournalName), whole, ids);
    if (!read || !*read || ids.has_gaps()) return;
    sidecar.info = std::move(whole);
    sidecar.has_journal = false;
    source_info = nullptr;
  }

  Stream& stream_for(std::uint16_t filter, MachineId machine) {
    auto& of_filter = stream_of[filter];
    if (machine.value < of_filter.size() && of_filter[machine.value] != nullptr) return *of_filter[machine.value];
    return add_stream(filter, machine);
  }

  // Declared first, so that a packet is never without its declaration. trace.json lists streams when it is written next:
  // until a trace is finished, readers look at what is there.
  Stream& add_stream(std::uint16_t filter, MachineId machine) {
    DPM_CHECK(!machine.is_none());
    const std::string file = fmt::format("machine_{}_filter_{}", machine.value, filter);
    auto stream = std::make_unique<Stream>(
        Stream{.machine = machine, .filter = filter, .segments = SegmentQueue(file), .indexer = StreamIndexer(file)});
    stream->number = static_cast<std::uint32_t>(streams.size());
    stream->head.stream = stream->number;
    stream->head.machine = machine.value;
    stream->head.filter = filter;
    stream->packet.resize(kPacketBytesMax);
    std::string text;
    if (machine.value >= clock_declared.size()) clock_declared.resize(machine.value + 1u);
    if (!clock_declared[machine.value]) text += ctf_clock(machine, machine_name(machine));
    clock_declared[machine.value] = true;
    text += ctf_stream(stream->number, machine, sidecar.description, filter);
    note(append(ctf_path("metadata"), std::as_bytes(std::span(text))));
    if (machine.value >= stream_of[filter].size()) stream_of[filter].resize(machine.value + 1u);
    stream_of[filter][machine.value] = stream.get();
    streams.push_back(std::move(stream));
    return *streams.back();
  }

  const TraceInfo& info() const { return source_info != nullptr ? *source_info : sidecar.info; }

  std::string machine_name(MachineId machine) const {
    const TraceInfo& info = this->info();
    return machine.value < info.machines.size() ? info.machines[machine.value].name : std::to_string(machine.value);
  }

  // Packets do not change: the numbers in them get names. Readers of CTF take any other file in its folder for a stream,
  // so the new metadata are written outside of it.
  void name_numbers_in_metadata() {
    if (!takes_events || !knows_processes || streams.empty()) return;
    std::size_t fields = 0;
    for (const auto& stream : streams) fields += ctf_fields_with_names(sidecar.description, stream->filter);
    const CtfNames ctf_names(info(), fields);
    std::string text = ctf_prologue() + ctf_names.declarations();
    std::vector<bool> has_clock(clock_declared.size());
    for (const auto& stream : streams) {
      const MachineId machine = stream->machine;
      if (!has_clock[machine.value]) text += ctf_clock(machine, machine_name(machine));
      has_clock[machine.value] = true;
      text += ctf_stream(stream->number, machine, sidecar.description, stream->filter, ctf_names);
    }
    const SpareDescriptor::Lent lent(spare);
    note(replace_file(ctf_path("metadata"), text, fmt::format("{}/metadata.new", directory)));
  }

  void put(Stream& stream, ClassIndex record_class, LocalTime time, const std::byte* record) {
    if (window) begin_record(stream);
    const PackedClass& packed = classes[stream.filter][record_class];
    const std::size_t bytes = kEventHeadBytes + packed.payload_bytes;
    if (stream.used_bytes + bytes > kPacketBytesMax || stream.head.records == kPacketRecordsMax) end_packet(stream);
    const std::uint64_t time_ns = time.ns < 0 ? 0 : static_cast<std::uint64_t>(time.ns);
    stream.last_time_ns = std::max(stream.last_time_ns, time_ns);
    if (stream.head.records++ == 0) stream.head.timestamp_begin = stream.last_time_ns;
    std::byte* at = stream.packet.data() + stream.used_bytes;
    std::memcpy(at, &record_class, sizeof record_class);
    std::memcpy(at + sizeof record_class, &stream.last_time_ns, sizeof stream.last_time_ns);
    packed.copy(record, at + kEventHeadBytes);
    stream.used_bytes += bytes;
  }

  void end_packet(Stream& stream) {
    if (stream.head.records == 0) return;
    stream.head.timestamp_end = stream.last_time_ns;
    stream.head.events_discarded = stream.records_refused;
    const auto packet = finished_packet(packer, {stream.packet.data(), stream.used_bytes}, stream.head);
    stream.head.packet_size_bits = packet.size() * 8;
    const auto written = append(ctf_path(stream.segments.open().name.file()), packet);
    if (written) {
      stream.segments.wrote(stream.head.records);
      if (is_indexed()) index_packet(stream);
      ++stream.head.sequence;
    } else {
      stream.indexer.forget_packet();
      stream.records_refused += stream.head.records;
      note(written);
    }
    stream.head.records = 0;
    stream.used_bytes = sizeof(PacketHead);
    write_grown_tables();
  }

  // The packets of each segment are numbered from 0: each is a whole stream file.
  void begin_segment(Stream& stream) {
    end_packet(stream);
    stream.segments.close();
    stream.head.sequence = 0;
  }

  void begin_record(Stream& stream) {
    if (!stream.segments.takes(now_ns, window->length.ns / kSegmentsOfWindow)) begin_segment(stream);
    stream.segments.note_record(now_ns);
    if (!removable) removable = now_ns + window->length.ns;
  }

  // Records of this instant come now.
  void move_window() {
    if (!window) return;
    now_ns = std::max(now_ns, window->clock());
    if (removable && now_ns > *removable) remove_old_segments();
  }

  void remove_old_segments() {
    const std::int64_t oldest_ns = now_ns - window->length.ns;
    std::vector<Segment> old;
    bool is_stream_gone = false;
    removable.reset();
    for (const auto& stream : streams) {
      SegmentQueue& segments = stream->segments;
      if (segments.open().has_begun && segments.open().last_ns < oldest_ns) begin_segment(*stream);
      const auto older = segments.take_older_than(oldest_ns);
      is_stream_gone |= !older.empty() && !segments.first_ns();
      old.insert(old.end(), older.begin(), older.end());
      if (const auto last_ns = segments.oldest_last_ns())
        removable = std::min(removable.value_or(*last_ns + window->length.ns), *last_ns + window->length.ns);
    }
    // Only trace.json tells how much was removed of a stream without a segment.
    if (is_stream_gone) write_sidecar();
    for (const Segment& segment : old) ::unlink(ctf_path(segment.name.file()).c_str());
  }

  // What a window removes would have to be removed from the index.
  bool is_indexed() const { return knows_processes && !window; }

  void index_packet(Stream& stream) {
    stream.indexer.end_packet(stream.head);
    if (stream.indexer.kept_bytes() < kIndexBytesKept) return;
    const SpareDescriptor::Lent lent(spare);
    if (!index_parts->add(stream.number, stream.indexer.take_kept())) index_is_whole = false;
  }

  // Readers do without it, so that it cannot be written is not a failure of the recording.
  void write_index() {
    const SpareDescriptor::Lent lent(spare);
    const auto taken = index_parts->take(streams.size());
    if (!is_indexed() || !index_is_whole || !taken) return;
    std::vector<std::string> of_streams;
    for (const auto& stream : streams) of_streams.push_back(stream->indexer.bytes((*taken)[stream->number]));
    (void)replace_file(fmt::format("{}/{}", directory, kPacketIndexName), index_bytes(of_streams));
  }

  // A process with records in several streams must be merged by the reader.
  void note_process(ProcessId process, const Stream& stream) {
    if (process.is_none()) return;
    if (process.value >= stream_of_process.size()) stream_of_process.resize(process.value + 1u);
    auto& last = stream_of_process[process.value];
    if (last == stream.number + 1) return;
    if (last != 0) {
      if (process.value >= is_split.size()) is_split.resize(process.value + 1u);
      is_split[process.value] = true;
    }
    last = stream.number + 1;
  }

  void list_split_processes() {
    if (!knows_processes) return;
    auto& split = sidecar.split_processes.emplace();
    for (std::uint32_t i = 0; i < is_split.size(); ++i)
      if (is_split[i]) split.push_back(ProcessId{i});
  }

  std::uint64_t records_refused() const {
    std::uint64_t refused = 0;
    for (const auto& stream : streams) refused += stream->records_refused;
    return refused;
  }

  void set_ledger(const Ledger& ledger) {
    sidecar.ledger = ledger;
    for (const auto& stream : streams) sidecar.ledger.removed += stream->segments.removed();
    const std::uint64_t refused = records_refused();
    if (refused == 0) return;
    sidecar.ledger.kept -= std::min(refused, ledger.kept);
    sidecar.ledger.lost += refused;
    sidecar.ledger.losses.push_back({"could not be written to the trace: " + status.error().what, refused});
  }
};

TraceWriter::TraceWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}

TraceWriter::~TraceWriter() = default;

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(const std::string& directory, TraceDescription description,
                                                         TraceForm form) {
  auto state = std::make_unique<State>();
  if (form.window) {
    DPM_CHECK(form.window->length.ns >= kSegmentsOfWindow);
    state->sidecar.window_ns = form.window->length.ns;
    state->window = std::move(form.window);
  }
  if (form.compressed) state->packer.emplace();
  state->sidecar.compressed = form.compressed;
  state->directory = directory;
  state->index_parts.emplace(directory);
  for (const auto& filter : description.filters) {
    auto& packed = state->classes.emplace_back();
    for (const auto& record : filter.classes) {
      packed.push_back(pack(description.layouts.at(record.layout), record));
      if (packed.back().payload_bytes > kPacketBytesMax / 2)
        return Error{fmt::format("records of {} are too large for a trace", description.layouts[record.layout].name)};
    }
  }
  state->stream_of.resize(description.filters.size());
  state->takes_events = description.layouts.size() >= program_event_layouts().size() &&
                        description.layouts.size() <= event_layouts().size() &&
                        description.layouts.front().size_bytes == sizeof(Event);
  state->sidecar.description = std::move(description);
  if (auto made = make_private_folder(directory); !made) return made.error();
  auto lock = RecordingLock::hold(directory);
  if (!lock) return lock.error();
  state->lock = *std::move(lock);
  if (auto made = make_private_folder(fmt::format("{}/{}", directory, kStreamFolder)); !made) return made.error();
  const std::string prologue = ctf_prologue();
  if (auto wrote = append_to_file(state->ctf_path("metadata"), std::as_bytes(std::span(prologue))); !wrote)
    return wrote.error();
  state->write_sidecar();
  if (!state->sidecar_status) return state->sidecar_status.error();
  return std::unique_ptr<TraceWriter>(new TraceWriter(std::move(state)));
}

void TraceWriter::on_begin(const TraceInfo& info) {
  state_->source_info = &info;
  state_->write_sidecar();
}

void TraceWriter::on_growth(const TraceGrowth& growth) {
  State& state = *state_;
  DPM_CHECK(state.source_info != nullptr);
  if (!state.journal) {
    state.journal.emplace(fmt::format("{}/{}", state.directory, kNamesJournalName), *state.source_info);
    if (state.window) state.names.emplace(*state.source_info);
    state.sidecar.has_journal = true;
    state.append_to_journal(growth);
    state.write_sidecar();
    return;
  }
  // The journal refers to machines that trace.json must contain.
  if (state.source_info->machines.size() != state.sidecar.info.machines.size()) state.write_sidecar();
  state.append_to_journal(growth);
}

void TraceWriter::on_records(std::span<const Event> events, std::span<const Verdict> verdicts) {
  DPM_CHECK(state_->takes_events && events.size() == verdicts.size());
  state_->move_window();
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (verdicts[i].record_class == kNotKept) continue;
    const Event& event = events[i];
    Stream& stream = state_->stream_for(verdicts[i].filter, event.machine);
    state_->note_process(event.process, stream);
    state_->put(stream, verdicts[i].record_class, event.local_time, reinterpret_cast<const std::byte*>(&event));
    if (state_->is_indexed()) stream.indexer.note(event.process, event.local_time);
  }
}

void TraceWriter::append(MachineId machine, Verdict verdict, LocalTime time, const std::byte* record) {
  state_->knows_processes = false;
  state_->move_window();
  state_->put(state_->stream_for(verdict.filter, machine), verdict.record_class, time, record);
}

void TraceWriter::flush() {
  for (const auto& stream : state_->streams) state_->end_packet(*stream);
}

void TraceWriter::checkpoint() {
  flush();
  state_->write_names();
  state_->write_sidecar();
  state_->look_for_room();
}

void TraceWriter::checkpoint(const Ledger& so_far) {
  flush();
  state_->write_names();
  state_->set_ledger(so_far);
  state_->sidecar.paused = true;
  state_->write_sidecar();
  state_->sidecar.paused = false;
  state_->look_for_room();
}

void TraceWriter::on_end(const Ledger& ledger) {
  DPM_CHECK(!state_->ended);
  state_->ended = true;
  flush();
  state_->write_names();
  state_->set_ledger(ledger);
  state_->list_split_processes();
  state_->sidecar.finished = true;
  state_->give_back_reserve();
  if (state_->names_rewritten_bytes > 0) state_->rewrite_journal();
  if (state_->status) {  // a full disk has little space
    state_->take_in_journal();
    state_->name_numbers_in_metadata();
    state_->write_index();
  }
  state_->write_sidecar();
  if (state_->journal && !state_->sidecar.has_journal && state_->status && state_->sidecar_status)
    ::unlink(fmt::format("{}/{}", state_->directory, kNamesJournalName).c_str());
  state_->source_info = nullptr;
  state_->lock.release();
}

const Ledger& TraceWriter::ledger() const { return state_->sidecar.ledger; }

const std::string& TraceWriter::problem() const { return state_->problem; }
std::uint64_t TraceWriter::refused() const { return state_->records_refused(); }

const Result<void>& TraceWriter::status() const { return state_->status ? state_->sidecar_status : state_->status; }

}  // namespace dpm
