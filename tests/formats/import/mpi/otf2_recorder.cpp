// Records what an MPI program sends and receives as an OTF2 archive, as Score-P does: a library that is loaded in front of MPI, so
// that the program's calls come here and go on to MPI's other names for them (PMPI).
//
// DPM_OTF2 names the archive. Each rank keeps its records until the end, and rank 0 writes the archive. The others hand theirs over
// in files, not as messages: the run has no message that the program does not send.
#include <mpi.h>
#include <otf2/otf2.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

namespace {

enum class Region : std::uint32_t { send, receive, isend, irecv, wait, sendrecv };
constexpr std::array kRegionNames = {"MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Sendrecv"};
enum class Kind : std::uint32_t { enter, leave, sent, received, sent_later, received_later };

struct Record {
  std::uint64_t time_ns = 0, bytes = 0, request = 0;
  Kind kind = Kind::enter;
  Region region = Region::send;
  std::uint32_t peer = 0, tag = 0;
};

std::vector<Record> records;
std::map<MPI_Request, std::uint64_t> posted;  // receives that are not complete, with their numbers
std::uint64_t requests = 0;

std::uint64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

struct InRegion {
  explicit InRegion(Region entered) : region(entered) { records.push_back({.time_ns = now_ns(), .region = region}); }
  ~InRegion() { records.push_back({.time_ns = now_ns(), .kind = Kind::leave, .region = region}); }
  InRegion(const InRegion&) = delete;
  InRegion& operator=(const InRegion&) = delete;
  Region region;
};

std::uint64_t bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
}

void note(Kind kind, int peer, int tag, std::uint64_t bytes, std::uint64_t request = 0) {
  records.push_back({.time_ns = now_ns(),
                     .bytes = bytes,
                     .request = request,
                     .kind = kind,
                     .peer = static_cast<std::uint32_t>(peer),
                     .tag = static_cast<std::uint32_t>(tag)});
}

void note_received(Kind kind, MPI_Status& status, std::uint64_t request = 0) {
  int bytes = 0;
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  note(kind, status.MPI_SOURCE, status.MPI_TAG, static_cast<std::uint64_t>(bytes), request);
}

std::string archive() {
  const char* named = std::getenv("DPM_OTF2");
  return named != nullptr ? named : "otf2";
}

std::string file_of(int rank) { return archive() + ".rank" + std::to_string(rank); }

void hand_over(int rank) {
  const std::string path = file_of(rank);
  std::FILE* file = std::fopen((path + ".partial").c_str(), "w");
  if (file == nullptr) std::abort();
  std::fwrite(records.data(), sizeof(Record), records.size(), file);
  std::fclose(file);
  std::rename((path + ".partial").c_str(), path.c_str());
}

std::vector<Record> records_of(int rank) {
  if (rank == 0) return records;
  std::FILE* file = nullptr;
  while ((file = std::fopen(file_of(rank).c_str(), "r")) == nullptr) ::usleep(1000);
  std::vector<Record> read;
  for (Record record; std::fread(&record, sizeof record, 1, file) == 1;) read.push_back(record);
  std::fclose(file);
  std::remove(file_of(rank).c_str());
  return read;
}

void write_event(OTF2_EvtWriter* writer, const Record& record) {
  const auto region = static_cast<OTF2_RegionRef>(record.region);
  constexpr OTF2_CommRef kWorld = 0;
  switch (record.kind) {
    case Kind::enter:
      OTF2_EvtWriter_Enter(writer, nullptr, record.time_ns, region);
      break;
    case Kind::leave:
      OTF2_EvtWriter_Leave(writer, nullptr, record.time_ns, region);
      break;
    case Kind::sent:
      OTF2_EvtWriter_MpiSend(writer, nullptr, record.time_ns, record.peer, kWorld, record.tag, record.bytes);
      break;
    case Kind::received:
      OTF2_EvtWriter_MpiRecv(writer, nullptr, record.time_ns, record.peer, kWorld, record.tag, record.bytes);
      break;
    case Kind::sent_later:
      OTF2_EvtWriter_MpiIsend(writer, nullptr, record.time_ns, record.peer, kWorld, record.tag, record.bytes,
                              record.request);
      break;
    case Kind::received_later:
      OTF2_EvtWriter_MpiIrecv(writer, nullptr, record.time_ns, record.peer, kWorld, record.tag, record.bytes,
                              record.request);
      break;
  }
}

void write_definitions(OTF2_Archive* opened, const std::vector<std::uint64_t>& events, std::uint64_t begin_ns,
                       std::uint64_t end_ns) {
  OTF2_GlobalDefWriter* writer = OTF2_Archive_GetGlobalDefWriter(opened);
  OTF2_StringRef strings = 0;
  const auto text = [&](const std::string& value) {
    OTF2_GlobalDefWriter_WriteString(writer, strings, value.c_str());
    return strings++;
  };
  OTF2_GlobalDefWriter_WriteClockProperties(writer, 1'000'000'000, begin_ns, end_ns - begin_ns + 1,
                                            OTF2_UNDEFINED_TIMESTAMP);
  const OTF2_StringRef empty = text(""), node = text("node"), host = text("host");
  for (std::uint32_t region = 0; region < kRegionNames.size(); ++region) {
    const OTF2_StringRef name = text(kRegionNames[region]);
    OTF2_GlobalDefWriter_WriteRegion(writer, region, name, name, empty, OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI,
                                     OTF2_REGION_FLAG_NONE, empty, 0, 0);
  }
  OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, host, node, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  std::vector<std::uint64_t> ranks;
  for (std::uint32_t rank = 0; rank < events.size(); ++rank) {
    const OTF2_StringRef name = text("rank" + std::to_string(rank));
    OTF2_GlobalDefWriter_WriteLocationGroup(writer, rank, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocation(writer, rank, name, OTF2_LOCATION_TYPE_CPU_THREAD, events[rank], rank);
    ranks.push_back(rank);
  }
  const auto count = static_cast<std::uint32_t>(ranks.size());
  OTF2_GlobalDefWriter_WriteGroup(writer, 0, empty, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, count, ranks.data());
  OTF2_GlobalDefWriter_WriteGroup(writer, 1, empty, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                  count, ranks.data());
  OTF2_GlobalDefWriter_WriteComm(writer, 0, text("MPI_COMM_WORLD"), 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
}

void write_archive(int count) {
  static constexpr OTF2_FlushCallbacks kFlush = {
      [](void*, OTF2_FileType, OTF2_LocationRef, void*, bool) -> OTF2_FlushType { return OTF2_FLUSH; }, nullptr};
  constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 20;
  OTF2_Archive* opened = OTF2_Archive_Open(archive().c_str(), "traces", OTF2_FILEMODE_WRITE, kChunkBytes, kChunkBytes,
                                           OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (opened == nullptr) std::abort();
  OTF2_Archive_SetFlushCallbacks(opened, &kFlush, nullptr);
  OTF2_Archive_SetSerialCollectiveCallbacks(opened);
  OTF2_Archive_OpenEvtFiles(opened);
  std::vector<std::uint64_t> events;
  std::uint64_t begin_ns = UINT64_MAX, end_ns = 0;
  for (int rank = 0; rank < count; ++rank) {
    OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(opened, static_cast<OTF2_LocationRef>(rank));
    for (const Record& record : records_of(rank)) {
      write_event(writer, record);
      begin_ns = std::min(begin_ns, record.time_ns), end_ns = std::max(end_ns, record.time_ns);
    }
    OTF2_EvtWriter_GetNumberOfEvents(writer, &events.emplace_back());
    OTF2_Archive_CloseEvtWriter(opened, writer);
  }
  OTF2_Archive_CloseEvtFiles(opened);
  OTF2_Archive_OpenDefFiles(opened);
  for (int rank = 0; rank < count; ++rank)
    OTF2_Archive_CloseDefWriter(opened, OTF2_Archive_GetDefWriter(opened, static_cast<OTF2_LocationRef>(rank)));
  OTF2_Archive_CloseDefFiles(opened);
  write_definitions(opened, events, begin_ns, end_ns);
  OTF2_Archive_Close(opened);
}

}  // namespace

extern "C" {

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator) {
  const InRegion in(Region::send);
  note(Kind::sent, to, tag, bytes_of(count, type));
  return PMPI_Send(data, count, type, to, tag, communicator);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator, MPI_Status* status) {
  const InRegion in(Region::receive);
  MPI_Status own;
  const int done = PMPI_Recv(data, count, type, from, tag, communicator, &own);
  note_received(Kind::received, own);
  if (status != MPI_STATUS_IGNORE) *status = own;
  return done;
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
              MPI_Request* request) {
  const InRegion in(Region::isend);
  note(Kind::sent_later, to, tag, bytes_of(count, type), ++requests);
  return PMPI_Isend(data, count, type, to, tag, communicator, request);
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator,
              MPI_Request* request) {
  const InRegion in(Region::irecv);
  const int done = PMPI_Irecv(data, count, type, from, tag, communicator, request);
  posted[*request] = ++requests;
  return done;
}

int MPI_Waitall(int count, MPI_Request* waited, MPI_Status* statuses) {
  const InRegion in(Region::wait);
  const std::vector<MPI_Request> before(waited, waited + count);
  std::vector<MPI_Status> own(before.size());
  const int done = PMPI_Waitall(count, waited, own.data());
  for (std::size_t i = 0; i < before.size(); ++i)
    if (const auto receive = posted.find(before[i]); receive != posted.end()) {
      note_received(Kind::received_later, own[i], receive->second);
      posted.erase(receive);
    }
  for (std::size_t i = 0; statuses != MPI_STATUSES_IGNORE && i < own.size(); ++i) statuses[i] = own[i];
  return done;
}

int MPI_Sendrecv(const void* data, int count, MPI_Datatype type, int to, int tag, void* got, int most,
                 MPI_Datatype got_type, int from, int got_tag, MPI_Comm communicator, MPI_Status* status) {
  const InRegion in(Region::sendrecv);
  note(Kind::sent, to, tag, bytes_of(count, type));
  MPI_Status own;
  const int done = PMPI_Sendrecv(data, count, type, to, tag, got, most, got_type, from, got_tag, communicator, &own);
  note_received(Kind::received, own);
  if (status != MPI_STATUS_IGNORE) *status = own;
  return done;
}

int MPI_Finalize() {
  int rank = 0, count = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &count);
  if (rank == 0) {
    write_archive(count);
  } else {
    hand_over(rank);
  }
  return PMPI_Finalize();
}

}  // extern "C"
