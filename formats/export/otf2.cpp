#include "formats/export/otf2.hpp"

#include <fmt/format.h>
#include <otf2/otf2.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "formats/export/names.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 18;  // the least that OTF2 allows; each location has one
constexpr std::uint64_t kTicksPerSecond = 1'000'000'000;
constexpr std::uint32_t kTags = 0x7fffffff;
constexpr OTF2_CommRef kEverybody = 0;

OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }

struct CloseArchive {
  void operator()(OTF2_Archive* archive) const { OTF2_Archive_Close(archive); }
};
using Archive = std::unique_ptr<OTF2_Archive, CloseArchive>;

// The global definitions. Each string is written once.
class Definitions {
 public:
  Definitions(OTF2_GlobalDefWriter* writer, Result<void>& status) : writer_(writer), status_(status) {}

  OTF2_StringRef text(const std::string& text) {
    const auto [found, is_new] = strings_.try_emplace(text, static_cast<OTF2_StringRef>(strings_.size()));
    if (is_new) note(OTF2_GlobalDefWriter_WriteString(writer_, found->second, text.c_str()));
    return found->second;
  }

  void note(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS && status_)
      status_ = Error{fmt::format("write OTF2: {}", OTF2_Error_GetDescription(code))};
  }
  OTF2_GlobalDefWriter* writer() { return writer_; }

 private:
  OTF2_GlobalDefWriter* writer_;
  Result<void>& status_;
  std::map<std::string, OTF2_StringRef> strings_;
};

// Regions are numbered from 0, event types from 1.
OTF2_RegionRef region_of(EventType type) { return static_cast<OTF2_RegionRef>(type) - 1; }

class Otf2Exporter : public Exporter {
 public:
  Otf2Exporter(Archive archive, const TimeAxis& time) : archive_(std::move(archive)), time_(time) {}

  void on_begin(const TraceInfo& /*info*/) override {}

  void on_events(std::span<const Event> batch) override {
    for (const Event& event : batch) add(event);
  }

  void on_end(const LossReport& /*losses*/) override {
    for (Location& location : locations_) leave_wait(location, location.last_ns);
  }

  Result<void> finish(const TraceInfo& info, const Ledger& ledger) override {
    for (std::uint32_t p = 0; p < info.processes.size(); ++p) location(p);  // also those without events
    close_events();
    Definitions definitions(OTF2_Archive_GetGlobalDefWriter(archive_.get()), status_);
    define_clock(definitions);
    define_regions(definitions);
    define_places(definitions, info);
    define_everybody(definitions);
    add_properties(info, ledger);
    note(OTF2_Archive_Close(archive_.release()));
    return status_;
  }

 private:
  struct Location {
    OTF2_EvtWriter* writer = nullptr;
    std::uint64_t last_ns = 0;
    std::uint64_t events = 0;
    bool waits = false;
  };

  void note(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS && status_)
      status_ = Error{fmt::format("write OTF2: {}", OTF2_Error_GetDescription(code))};
  }

  Location& location(std::uint32_t process) {
    if (process >= locations_.size()) locations_.resize(process + 1);
    Location& location = locations_[process];
    if (location.writer == nullptr) {
      location.writer = OTF2_Archive_GetEvtWriter(archive_.get(), process);
      if (location.writer == nullptr && status_) status_ = Error{"write OTF2: no memory for another process"};
    }
    return location;
  }

  void add(const Event& event) {
    Location& at = location(event.process.value);
    if (at.writer == nullptr) return;
    // Times of a location may not go back; those of a clock that was set back do.
    const auto axis_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(time_.ns(event), 0));
    const std::uint64_t now_ns = std::max(axis_ns, at.last_ns);
    last_ns_ = std::max(last_ns_, now_ns);
    leave_wait(at, now_ns);
    at.last_ns = now_ns;
    const bool is_message = (event.flags & event_flags::kNoMessage) == 0 && !event.peer.is_none();
    const std::uint32_t tag = event.channel.value % kTags;
    if (event.type == EventType::send && is_message)
      note(OTF2_EvtWriter_MpiSend(at.writer, nullptr, now_ns, event.peer.value, kEverybody, tag, event.length_bytes));
    else if (event.type == EventType::receive && is_message)
      note(OTF2_EvtWriter_MpiRecv(at.writer, nullptr, now_ns, event.peer.value, kEverybody, tag, event.length_bytes));
    else
      enter(at, event.type, now_ns);
  }

  void enter(Location& at, EventType type, std::uint64_t now_ns) {
    const OTF2_RegionRef region = region_of(type);
    note(OTF2_EvtWriter_Enter(at.writer, nullptr, now_ns, region));
    at.waits = type == EventType::receive_call;
    if (!at.waits) note(OTF2_EvtWriter_Leave(at.writer, nullptr, now_ns, region));
  }

  void leave_wait(Location& at, std::uint64_t now_ns) {
    if (!at.waits) return;
    at.waits = false;
    note(OTF2_EvtWriter_Leave(at.writer, nullptr, now_ns, region_of(EventType::receive_call)));
  }

  // OTF2 wants a file of local definitions for each location, though they are empty.
  void close_events() {
    for (Location& location : locations_) {
      note(OTF2_EvtWriter_GetNumberOfEvents(location.writer, &location.events));
      note(OTF2_Archive_CloseEvtWriter(archive_.get(), location.writer));
    }
    note(OTF2_Archive_CloseEvtFiles(archive_.get()));
    note(OTF2_Archive_OpenDefFiles(archive_.get()));
    for (std::size_t p = 0; p < locations_.size(); ++p)
      note(OTF2_Archive_CloseDefWriter(archive_.get(), OTF2_Archive_GetDefWriter(archive_.get(), p)));
    note(OTF2_Archive_CloseDefFiles(archive_.get()));
  }

  void define_clock(Definitions& definitions) {
    definitions.note(OTF2_GlobalDefWriter_WriteClockProperties(definitions.writer(), kTicksPerSecond, 0, last_ns_ + 1,
                                                               OTF2_UNDEFINED_TIMESTAMP));
  }

  static void define_regions(Definitions& definitions) {
    const OTF2_StringRef empty = definitions.text("");
    for (const EventType type : kEventTypes) {
      const OTF2_StringRef name = definitions.text(std::string(name_of(type)));
      const auto role = type == EventType::receive_call ? OTF2_REGION_ROLE_POINT2POINT : OTF2_REGION_ROLE_FUNCTION;
      definitions.note(OTF2_GlobalDefWriter_WriteRegion(definitions.writer(), region_of(type), name, name, empty, role,
                                                        OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, empty, 0, 0));
    }
  }

  void define_places(Definitions& definitions, const TraceInfo& info) {
    const OTF2_StringRef machine = definitions.text("machine");
    for (std::uint32_t m = 0; m < info.machines.size(); ++m)
      definitions.note(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions.writer(), m,
                                                                definitions.text(clean_text(info.machines[m].name)),
                                                                machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    const std::vector<std::string> labels = process_labels(info);
    for (std::uint32_t p = 0; p < info.processes.size(); ++p)
      if (!is_thread(info, p))
        definitions.note(OTF2_GlobalDefWriter_WriteLocationGroup(
            definitions.writer(), p, definitions.text(labels[p]), OTF2_LOCATION_GROUP_TYPE_PROCESS,
            info.processes[p].machine.value, OTF2_UNDEFINED_LOCATION_GROUP));
    // ViTE does not go on where a process and its thread have one name.
    for (std::uint32_t p = 0; p < info.processes.size(); ++p) {
      const OTF2_StringRef name = definitions.text(is_thread(info, p) ? labels[p] : "main thread");
      definitions.note(OTF2_GlobalDefWriter_WriteLocation(definitions.writer(), p, name, OTF2_LOCATION_TYPE_CPU_THREAD,
                                                          locations_[p].events,
                                                          is_thread(info, p) ? info.processes[p].group.value : p));
    }
  }

  static bool is_thread(const TraceInfo& info, std::uint32_t process) {
    return info.processes[process].group.value < info.processes.size();
  }

  // The communicator in which a process has the rank of its number.
  void define_everybody(Definitions& definitions) {
    constexpr OTF2_GroupRef kLocations = 0, kRanks = 1;
    std::vector<std::uint64_t> numbers;
    for (std::size_t p = 0; p < locations_.size(); ++p) numbers.push_back(p);
    const auto count = static_cast<std::uint32_t>(numbers.size());
    const OTF2_StringRef empty = definitions.text(""), name = definitions.text("processes");
    definitions.note(OTF2_GlobalDefWriter_WriteGroup(definitions.writer(), kLocations, empty,
                                                     OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                                     OTF2_GROUP_FLAG_NONE, count, numbers.data()));
    definitions.note(OTF2_GlobalDefWriter_WriteGroup(definitions.writer(), kRanks, empty, OTF2_GROUP_TYPE_COMM_GROUP,
                                                     OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, numbers.data()));
    definitions.note(OTF2_GlobalDefWriter_WriteComm(definitions.writer(), kEverybody, name, kRanks, OTF2_UNDEFINED_COMM,
                                                    OTF2_COMM_FLAG_NONE));
  }

  void add_property(const std::string& name, const std::string& value) {
    note(OTF2_Archive_SetProperty(archive_.get(), ("DPM::" + name).c_str(), clean_text(value).c_str(), true));
  }

  void add_properties(const TraceInfo& info, const Ledger& ledger) {
    note(OTF2_Archive_SetCreator(archive_.get(), "dpm export"));
    add_property("SOURCE", info.source);
    add_property("EVENTS_SEEN", std::to_string(ledger.seen));
    add_property("EVENTS_LOST", std::to_string(ledger.lost));
    for (std::size_t i = 0; i < ledger.losses.size(); ++i)
      add_property(fmt::format("LOST_{}", i + 1),
                   fmt::format("{} events: {}", ledger.losses[i].events, ledger.losses[i].reason));
    for (std::size_t i = 0; i < ledger.warnings.size(); ++i)
      add_property(fmt::format("WARNING_{}", i + 1), ledger.warnings[i]);
  }

  Archive archive_;
  const TimeAxis& time_;
  std::vector<Location> locations_;  // by process
  std::uint64_t last_ns_ = 0;
  Result<void> status_;
};

Result<std::unique_ptr<Exporter>> start_otf2(const std::string& path, const TimeAxis& time,
                                             const ExportOptions& /*options*/) {
  static constexpr OTF2_FlushCallbacks kFlush = {flush_always, nullptr};
  Archive archive(OTF2_Archive_Open(path.c_str(), "traces", OTF2_FILEMODE_WRITE, kChunkBytes, kChunkBytes,
                                    OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE));
  if (!archive) return Error{"write " + path + ": OTF2 cannot create the archive"};
  for (const OTF2_ErrorCode code :
       {OTF2_Archive_SetFlushCallbacks(archive.get(), &kFlush, nullptr),
        OTF2_Archive_SetSerialCollectiveCallbacks(archive.get()), OTF2_Archive_OpenEvtFiles(archive.get())})
    if (code != OTF2_SUCCESS) return Error{fmt::format("write {}: {}", path, OTF2_Error_GetDescription(code))};
  return std::unique_ptr<Exporter>(std::make_unique<Otf2Exporter>(std::move(archive), time));
}

}  // namespace

ExportFormat make_otf2_export_format() {
  return {"otf2", "a folder for Vampir, Cube and ViTE: messages as MPI messages; needs -o", false, true, start_otf2};
}

}  // namespace dpm
