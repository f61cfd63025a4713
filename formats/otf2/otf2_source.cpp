#include "formats/otf2/otf2_source.hpp"

#include <fmt/format.h>
#include <otf2/otf2.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <fstream>
#include <set>

#include "formats/otf2/otf2_places.hpp"
#include "formats/otf2/otf2_translator.hpp"

namespace dpm {
namespace {

struct CloseReader {
  void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
};
using Reader = std::unique_ptr<OTF2_Reader, CloseReader>;

// The library prints its errors; they are returned instead.
OTF2_ErrorCode keep_silent(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char*,
                           std::va_list) {
  return code;
}

class Otf2Source : public ImportSource {
 public:
  // `anchor`: traces.otf2 has its definitions in traces.def, and those and the events of location 7 in traces/7.def and traces/7.evt.
  Otf2Source(Reader reader, std::string_view anchor)
      : reader_(std::move(reader)), name_(anchor.substr(0, anchor.rfind('.'))) {
    info_.source = "otf2";
  }

  Result<void> read_definitions() {
    OTF2_GlobalDefReaderCallbacks* callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(
        callbacks, [](void* self, std::uint64_t ticks, std::uint64_t offset, std::uint64_t, std::uint64_t) {
          of(self).translator_.set_clock(ticks, offset);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, [](void* self, OTF2_StringRef id, const char* text) {
      of(self).places_.add_text(id, text);
      return OTF2_CALLBACK_SUCCESS;
    });
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(
        callbacks,
        [](void* self, OTF2_SystemTreeNodeRef id, OTF2_StringRef name, OTF2_StringRef, OTF2_SystemTreeNodeRef) {
          of(self).places_.add_node(id, name);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(
        callbacks, [](void* self, OTF2_LocationGroupRef id, OTF2_StringRef name, OTF2_LocationGroupType,
                      OTF2_SystemTreeNodeRef node, OTF2_LocationGroupRef) {
          of(self).places_.add_process(id, name, node);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(
        callbacks, [](void* self, OTF2_LocationRef id, OTF2_StringRef name, OTF2_LocationType, std::uint64_t,
                      OTF2_LocationGroupRef group) {
          of(self).places_.add_location(id, name, group);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(
        callbacks, [](void* self, OTF2_RegionRef id, OTF2_StringRef, OTF2_StringRef, OTF2_StringRef, OTF2_RegionRole,
                      OTF2_Paradigm paradigm, OTF2_RegionFlag, OTF2_StringRef, std::uint32_t, std::uint32_t) {
          if (paradigm == OTF2_PARADIGM_MPI) of(self).places_.add_wait_region(id);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(
        callbacks, [](void* self, OTF2_GroupRef id, OTF2_StringRef, OTF2_GroupType type, OTF2_Paradigm paradigm,
                      OTF2_GroupFlag, std::uint32_t count, const std::uint64_t* members) {
          std::vector<std::uint64_t> all(members, members + count);
          if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS && paradigm == OTF2_PARADIGM_MPI)
            of(self).places_.set_participants(all);
          of(self).places_.add_ranks(id, std::move(all), type == OTF2_GROUP_TYPE_COMM_GROUP);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(
        callbacks, [](void* self, OTF2_CommRef id, OTF2_StringRef, OTF2_GroupRef group, OTF2_CommRef, OTF2_CommFlag) {
          of(self).places_.add_communicator(id, group);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader_.get());
    OTF2_Reader_RegisterGlobalDefCallbacks(reader_.get(), definitions, callbacks, this);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    // As many as the archive says, and the file can hold: to read all, the library goes on without end where they are damaged.
    std::uint64_t expected = 0, read = 0;
    OTF2_ErrorCode code = OTF2_Reader_GetNumberOfGlobalDefinitions(reader_.get(), &expected);
    expected = std::min(expected, records_most(name_ + ".def"));
    if (code == OTF2_SUCCESS) code = OTF2_Reader_ReadGlobalDefinitions(reader_.get(), definitions, expected, &read);
    if (code != OTF2_SUCCESS) return Error{"its definitions cannot be read: it is damaged or cut off"};
    return places_.describe(info_);
  }

  Result<void> run(EventSink& sink) override {
    sink.on_begin(info_);
    translator_.set_sink(sink);
    open_locations();
    const std::string damage = read_events();
    translator_.pass();
    LossReport losses = translator_.losses();
    if (!damage.empty())
      losses.warnings.insert(losses.warnings.begin(),
                             fmt::format("the archive is damaged or cut off, the rest of it is missing: {}", damage));
    sink.on_end(losses);
    return {};
  }

  ImportReport report() const override { return translator_.report(); }

 private:
  static Otf2Source& of(void* self) { return *static_cast<Otf2Source*>(self); }

  std::string file_of(std::uint64_t location, std::string_view ending) const {
    return fmt::format("{}/{}{}", name_, location, ending);
  }

  // How many records a file can hold: each has at least a byte. The library reads no compressed archives.
  static std::uint64_t records_most(const std::string& path) {
    struct stat found {};
    return stat(path.c_str(), &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
  }

  // No more than the files can hold, whatever the library finds in them. Returns what is wrong with them; empty: nothing.
  std::string read_events() {
    OTF2_GlobalEvtReader* events = OTF2_Reader_GetGlobalEvtReader(reader_.get());
    if (events == nullptr) return "the events of a process cannot be read";
    register_events(events);
    const std::vector<std::uint64_t> locations = places_.locations();
    std::uint64_t most = 0, read = 0;
    for (const std::uint64_t location : std::set(locations.begin(), locations.end()))
      most += records_most(file_of(location, ".evt"));
    const OTF2_ErrorCode code = OTF2_Reader_ReadGlobalEvents(reader_.get(), events, most, &read);
    if (code != OTF2_SUCCESS) return fmt::format("its events cannot be read after the first {}", read);
    int has_more = 0;
    OTF2_Reader_HasGlobalEvent(reader_.get(), events, &has_more);
    return has_more == 0 ? "" : fmt::format("its files cannot hold more than {} events, and it has more", most);
  }

  // The library maps ids by the definitions of each location.
  void open_locations() {
    for (const std::uint64_t location : places_.locations()) OTF2_Reader_SelectLocation(reader_.get(), location);
    const bool has_definitions = OTF2_Reader_OpenDefFiles(reader_.get()) == OTF2_SUCCESS;
    OTF2_Reader_OpenEvtFiles(reader_.get());
    for (const std::uint64_t location : places_.locations()) {
      if (has_definitions) {
        if (OTF2_DefReader* definitions = OTF2_Reader_GetDefReader(reader_.get(), location); definitions != nullptr) {
          std::uint64_t read = 0;
          OTF2_Reader_ReadLocalDefinitions(reader_.get(), definitions, records_most(file_of(location, ".def")), &read);
          OTF2_Reader_CloseDefReader(reader_.get(), definitions);
        }
      }
      OTF2_Reader_GetEvtReader(reader_.get(), location);
    }
    if (has_definitions) OTF2_Reader_CloseDefFiles(reader_.get());
  }

  void register_events(OTF2_GlobalEvtReader* events) {
    OTF2_GlobalEvtReaderCallbacks* callbacks = OTF2_GlobalEvtReaderCallbacks_New();
    using Attributes = OTF2_AttributeList*;
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(
        callbacks, [](OTF2_LocationRef location, OTF2_TimeStamp time, void* self, Attributes, OTF2_RegionRef region) {
          of(self).translator_.enter(location, time, region);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(
        callbacks, [](OTF2_LocationRef location, OTF2_TimeStamp time, void* self, Attributes, OTF2_RegionRef region) {
          of(self).translator_.leave(location, time, region);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(
        callbacks, [](OTF2_LocationRef location, OTF2_TimeStamp time, void* self, Attributes, std::uint32_t rank,
                      OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes) {
          of(self).translator_.message(EventType::send, location, time, {rank, communicator, tag, bytes});
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCallback(
        callbacks, [](OTF2_LocationRef location, OTF2_TimeStamp time, void* self, Attributes, std::uint32_t rank,
                      OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes, std::uint64_t) {
          of(self).translator_.message(EventType::send, location, time, {rank, communicator, tag, bytes});
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(
        callbacks, [](OTF2_LocationRef location, OTF2_TimeStamp time, void* self, Attributes, std::uint32_t rank,
                      OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes) {
          of(self).translator_.message(EventType::receive, location, time, {rank, communicator, tag, bytes});
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvCallback(
        callbacks, [](OTF2_LocationRef location, OTF2_TimeStamp time, void* self, Attributes, std::uint32_t rank,
                      OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes, std::uint64_t) {
          of(self).translator_.message(EventType::receive, location, time, {rank, communicator, tag, bytes});
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(
        callbacks, [](OTF2_LocationRef, OTF2_TimeStamp, void* self, Attributes, OTF2_CollectiveOp, OTF2_CommRef,
                      std::uint32_t, std::uint64_t, std::uint64_t) {
          of(self).translator_.collective();
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_Reader_RegisterGlobalEvtCallbacks(reader_.get(), events, callbacks, this);
    OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
  }

  Reader reader_;
  std::string name_;  // of the anchor file, without its ending
  TraceInfo info_;
  Otf2Places places_;
  Otf2Translator translator_{info_, places_};
};

// "traces.otf2", or the folder that has it.
std::string anchor_of(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) ? path + "/traces.otf2" : path;
}

// The library makes room for as many properties as an anchor file claims, which may be 64 GiB and minutes. Within a limit it fails at once.
class RoomLimit {
 public:
  explicit RoomLimit(rlim_t more_bytes) {
    std::uint64_t mapped_pages = 0;
    std::ifstream("/proc/self/statm") >> mapped_pages;
    ::getrlimit(RLIMIT_AS, &before_);
    rlimit limit = before_;
    limit.rlim_cur =
        std::min(before_.rlim_cur, mapped_pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + more_bytes);
    ::setrlimit(RLIMIT_AS, &limit);
  }
  RoomLimit(const RoomLimit&) = delete;
  RoomLimit& operator=(const RoomLimit&) = delete;
  ~RoomLimit() { ::setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_ = {};
};
constexpr rlim_t kRoomBytes = rlim_t{1} << 30;

OTF2_Reader* open_reader(const std::string& anchor) {
  const RoomLimit limit(kRoomBytes);
  return OTF2_Reader_Open(anchor.c_str());
}

Result<std::unique_ptr<ImportSource>> open(const std::string& path, const ImportOptions& /*options*/) {
  OTF2_Error_RegisterCallback(keep_silent, nullptr);
  const std::string anchor = anchor_of(path);
  struct stat found {};
  if (stat(anchor.c_str(), &found) != 0) return Error::from_errno("read " + anchor);
  Reader reader(open_reader(anchor));
  if (!reader) return Error{anchor + ": not the anchor file of an OTF2 archive (its name is traces.otf2)"};
  OTF2_Reader_SetSerialCollectiveCallbacks(reader.get());
  auto source = std::make_unique<Otf2Source>(std::move(reader), anchor);
  if (auto done = source->read_definitions(); !done) return Error{fmt::format("{}: {}", anchor, done.error().what)};
  return std::unique_ptr<ImportSource>(std::move(source));
}

std::optional<std::string> recognize(const RecordingHead& recording) {
  const bool is_archive = recording.is_folder ? std::find(recording.files.begin(), recording.files.end(),
                                                          "traces.otf2") != recording.files.end()
                                              : recording.path.ends_with(".otf2");
  return is_archive ? std::optional<std::string>("an OTF2 archive") : std::nullopt;
}

}  // namespace

ImportFormat make_otf2_import_format() {
  return {"otf2",
          "an archive of an MPI program: the folder, or its file traces.otf2",
          {"readyTime", "diskTime"},
          recognize,
          open};
}

}  // namespace dpm
