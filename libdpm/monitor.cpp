#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstring>
#include <dpm/monitor/monitor.hpp>
#include <dpm/monitor/object.hpp>
#include <dpm/monitor/region_file.hpp>
#include <mutex>

static_assert(dpm::monitor::kLayoutVersion == 2, "the note says so too");
// A note by which a file with the library is known, also without symbols: name "dpm", type 1, the layout's version.
__asm__(
    ".pushsection .note.dpm,\"a\",@note\n"
    ".balign 4\n"
    ".long 4, 4, 1\n"
    ".asciz \"dpm\"\n"
    ".long 2\n"
    ".popsection\n");

namespace dpm::monitor {
namespace {

// How many refused records of one ring pass between two looks whether the monitor still lives: a look takes microseconds.
constexpr std::uint64_t kDropsPerLook = 1 << 14;

// What belongs to the process, as its pid does: fork() changes it under every object, and threads end without asking.
struct Process {
  std::mutex lock;
  RegionFile file;
  char program[kNameBytes] = {};  // or empty: that of its file
  bool has_handlers = false;
  bool waits_in_vain = false;  // the monitor did not answer in time; it is not waited for until it does
};
Process process;

struct KnownObject {
  const char* function;
  const char* name;
  const Object* object;
};
constexpr std::size_t kKnownObjects = 64;

// Without a destructor, so that using it is not a call.
struct Thread {
  Ring* ring;
  std::uint64_t read;  // as last seen: reading it costs the cache line that the monitor writes
  std::uint64_t drops;
  std::uint32_t id;
  bool gets_no_ring;
  KnownObject known[kKnownObjects];  // a Point is declared each time its function is entered
};
thread_local Thread own;

struct RingReturn {
  ~RingReturn() {
    if (own.ring != nullptr)
      own.ring->state.store(static_cast<std::uint32_t>(RingState::kFree), std::memory_order_release);
    own.ring = nullptr;
    own.gets_no_ring = true;
  }
  bool is_used = false;
};
thread_local RingReturn ring_return;

std::uint64_t now_ns() {
  struct timespec now {};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

// Until the monitor has seen every object, if one looks.
void wait_for_monitor(const Header& header) {
  const std::uint32_t objects = header.objects.load(std::memory_order_relaxed);
  if (objects == 0 || !process.file.is_watched()) return;
  if (process.waits_in_vain && header.objects_looked_at.load(std::memory_order_acquire) + 1 < objects) return;
  process.file.ring_bell();
  const std::uint64_t end_ns = now_ns() + std::chrono::nanoseconds(kRegistrationWait).count();
  process.waits_in_vain = false;
  while (header.objects_looked_at.load(std::memory_order_acquire) < objects) {
    if (now_ns() > end_ns) {
      process.waits_in_vain = true;
      return;
    }
    const struct timespec pause { 0, 20'000 };
    nanosleep(&pause, nullptr);
  }
}

void copy_objects(const Region& from, Region& to, std::uint32_t objects) {
  for (std::uint32_t i = 0; i < objects; ++i) {
    Object& object = to.objects[i];
    object.is_cut = from.objects[i].is_cut;
    object.is_signed = from.objects[i].is_signed;
    memcpy(object.name, from.objects[i].name, kNameBytes);
    memcpy(object.function, from.objects[i].function, kNameBytes);
    object.kind.store(from.objects[i].kind.load(std::memory_order_relaxed), std::memory_order_release);
  }
  to.header.objects.store(objects, std::memory_order_release);
}

bool allocate_objects(const RegionFile& file, std::uint32_t from, std::uint32_t to) {
  return from == to || file.allocate(&file.region()->objects[from], (to - from) * sizeof(Object));
}

void before_fork() { process.lock.lock(); }
void after_fork_in_parent() { process.lock.unlock(); }

// The child's objects stay where they are: its own file takes the place of its parent's.
void after_fork_in_child() {
  own.ring = nullptr;
  own.gets_no_ring = false;
  process.waits_in_vain = false;
  if (process.file.region() != nullptr) {
    RegionFile file;
    const std::uint32_t objects = process.file.region()->header.objects.load(std::memory_order_relaxed);
    const bool is_made = file.create(true, process.program)[0] == '\0' && allocate_objects(file, 0, objects);
    if (is_made) copy_objects(*process.file.region(), *file.region(), objects);
    process.file.give_place_to(is_made ? &file : nullptr);
    if (is_made) wait_for_monitor(file.region()->header);
  }
  process.lock.unlock();
}

bool claim_ring() {
  if (own.gets_no_ring) return false;
  Region& region = *process.file.region();
  own.id = static_cast<std::uint32_t>(syscall(SYS_gettid));
  for (std::uint32_t i = 0; i < kRingsMax; ++i) {
    Ring& ring = region.rings[i];
    auto expected = static_cast<std::uint32_t>(RingState::kFree);
    // The page of its state must be there before it is looked at.
    if (i >= region.header.rings.load(std::memory_order_acquire) && !process.file.allocate(&ring, sizeof(Ring))) break;
    if (!ring.state.compare_exchange_strong(expected, static_cast<std::uint32_t>(RingState::kOwned))) continue;
    std::uint32_t rings = region.header.rings.load();
    while (rings < i + 1 && !region.header.rings.compare_exchange_weak(rings, i + 1)) {
    }
    own.read = ring.read.load(std::memory_order_acquire);
    own.ring = &ring;
    ring_return.is_used = true;  // its destructor runs when the thread ends
    return true;
  }
  own.gets_no_ring = true;
  return false;
}

void stop_when_monitor_died() {
  if (process.file.is_watched()) return;
  Region& region = *process.file.region();
  const std::uint32_t objects = region.header.objects.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < objects && i < kObjectsMax; ++i)
    region.objects[i].wanted.store(0, std::memory_order_relaxed);
}

std::uint32_t bit_number(Action action) {
  return static_cast<std::uint32_t>(__builtin_ctz(static_cast<unsigned>(action)));
}

bool copy_name(char* to, const char* from) {
  const std::size_t length = strnlen(from, kNameBytes);
  memcpy(to, from, length < kNameBytes ? length : kNameBytes - 1);
  return length == kNameBytes;
}

bool is_object(const Object& object, Kind kind, const char* function, const char* name) {
  return object.kind.load(std::memory_order_relaxed) == static_cast<std::uint32_t>(kind) &&
         strncmp(object.name, name, kNameBytes - 1) == 0 && strncmp(object.function, function, kNameBytes - 1) == 0;
}

std::size_t place_of(const char* function, const char* name) {
  return ((reinterpret_cast<std::uintptr_t>(function) * 31 + reinterpret_cast<std::uintptr_t>(name)) >> 1) %
         kKnownObjects;
}

}  // namespace

const Object* Named::silent() {
  static const Object object{};
  return &object;
}

Monitor::Monitor(Connect connect, const char* program) : reason_("the program does not want to be monitored") {
  if (connect == Connect::kNo) return;
  const std::lock_guard<std::mutex> guard(process.lock);
  if (process.file.region() != nullptr) {
    reason_ = "the process has another Monitor";
    return;
  }
  if (program != nullptr) copy_name(process.program, program);
  reason_ = process.file.create(false, process.program);
  is_connected_ = reason_[0] == '\0';
  if (!process.has_handlers)
    process.has_handlers = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
}

Monitor::~Monitor() {
  if (is_connected_) process.file.end();
}

const Object* Monitor::object(Kind kind, const char* function, const char* name, bool is_signed) {
  if (!is_connected_) return Named::silent();
  KnownObject& known = own.known[place_of(function, name)];
  // The texts are compared too: another text may stand where one was.
  if (known.function == function && known.name == name && is_object(*known.object, kind, function, name))
    return known.object;
  const Object* const found = find_or_add(kind, function, name, is_signed);
  if (found != Named::silent()) known = {function, name, found};
  return found;
}

const Object* Monitor::find_or_add(Kind kind, const char* function, const char* name, bool is_signed) {
  const std::lock_guard<std::mutex> guard(process.lock);
  Region* const region = process.file.region();
  if (region == nullptr) return Named::silent();
  const std::uint32_t objects = region->header.objects.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < objects; ++i)
    if (is_object(region->objects[i], kind, function, name)) return &region->objects[i];
  if (objects == kObjectsMax || !allocate_objects(process.file, objects, objects + 1)) {
    region->header.objects_refused.fetch_add(1);
    return Named::silent();
  }
  Object& object = region->objects[objects];
  const bool name_is_cut = copy_name(object.name, name);
  const bool function_is_cut = copy_name(object.function, function);
  object.is_cut = name_is_cut || function_is_cut;
  object.is_signed = is_signed;
  object.kind.store(static_cast<std::uint32_t>(kind), std::memory_order_release);
  region->header.objects.store(objects + 1, std::memory_order_release);
  wait_for_monitor(region->header);
  return &object;
}

void Monitor::record(const Object& object, Action action, std::int64_t value) {
  Region* const region = process.file.region();
  if (own.ring == nullptr && !claim_ring()) {
    region->header.without_ring.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  Ring& ring = *own.ring;
  const auto index = static_cast<std::uint32_t>(&object - region->objects);
  const std::uint64_t written = ring.written.load(std::memory_order_relaxed);
  if (written - own.read >= kRecordsPerRing) own.read = ring.read.load(std::memory_order_acquire);
  if (written - own.read >= kRecordsPerRing) {
    std::atomic<std::uint64_t>& dropped = ring.dropped[index][bit_number(action)];
    dropped.store(dropped.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (own.drops++ % kDropsPerLook == 0) stop_when_monitor_died();
    return;
  }
  Record& record = ring.records[written % kRecordsPerRing];
  record.time_ns = now_ns();
  record.value = value;
  record.object = index;
  record.action = static_cast<std::uint32_t>(action);
  record.thread = own.id;
  ring.written.store(written + 1, std::memory_order_release);
}

}  // namespace dpm::monitor
