// What a program that uses the library and its monitor share: one file a process, mapped by both.
//
//   /dev/shm/dpm-UID/PID-START   Header | objects (the definition table) | rings
//
// The program names its objects in the table. The monitor sets `wanted` bits there (the lookup vector), and the
// program reads them with one relaxed load before it records anything (S3 4.4). Each thread writes to a ring of its own; the monitor
// is its only reader. Neither waits for the other: a full ring refuses records, and counts them by object.
//
// The program holds a lock (F_OFD_SETLK) on the file while it lives, and the monitor one on `watcher` beside it, so that the
// death of each is seen by the other however it came. The file is sparse. What the program writes to is allocated first,
// because a page that a full disk cannot give would kill it.
//
// A reader trusts nothing in here: every index is checked before it is used.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <dpm/monitor/actions.hpp>

namespace dpm::monitor {

inline constexpr std::uint64_t kMagic = 0x6e6f74696e6f6d64;  // "dmoniton"
inline constexpr std::uint32_t kLayoutVersion = 2;
inline constexpr std::uint32_t kObjectsMax = 4096;
inline constexpr std::uint32_t kRingsMax = 256;
inline constexpr std::uint32_t kRecordsPerRing = 1u << 14;
inline constexpr std::size_t kNameBytes = 120;  // with the zero at its end; a longer name is cut, and marked as cut

struct Object {
  std::atomic<std::uint32_t> wanted;  // the monitor writes
  std::atomic<std::uint32_t> kind;    // the program writes; last, when the names stand
  std::uint32_t is_cut;
  std::uint32_t is_signed;
  char name[kNameBytes];
  char function[kNameBytes];
};
static_assert(sizeof(Object) == 256);

struct Record {
  std::uint64_t time_ns;  // CLOCK_REALTIME
  std::int64_t value;
  std::uint32_t object;
  std::uint32_t action;
  std::uint32_t thread;
  std::uint32_t unused;
};
static_assert(sizeof(Record) == 32);

enum class RingState : std::uint32_t { kFree, kOwned };

struct Ring {
  alignas(64) std::atomic<std::uint64_t> written;  // records ever; the program
  std::atomic<std::uint32_t> state;
  alignas(64) std::atomic<std::uint64_t> read;                                 // records ever; the monitor
  alignas(64) std::atomic<std::uint64_t> dropped[kObjectsMax][kActionPlaces];  // by object and bit of the action
  Record records[kRecordsPerRing];
};

struct Header {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t bytes;  // of the whole, so that a monitor of another build notices
  std::uint32_t pid;
  std::uint32_t parent;  // 0, or the process that forked it
  char program[kNameBytes];
  std::atomic<std::uint32_t> is_whole;           // everything above stands
  std::atomic<std::uint32_t> objects;            // of the table, in use
  std::atomic<std::uint32_t> objects_refused;    // the table was full
  std::atomic<std::uint32_t> objects_looked_at;  // by the monitor: their `wanted` bits are what it wants
  std::atomic<std::uint32_t> rings;              // ever used
  std::atomic<std::uint64_t> without_ring;       // records of threads for which no ring was left
  std::atomic<std::uint32_t> has_ended;          // well
};

struct Region {
  alignas(4096) Header header;
  alignas(4096) Object objects[kObjectsMax];
  alignas(4096) Ring rings[kRingsMax];
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free,
              "an atomic with a lock inside does not work between processes");

}  // namespace dpm::monitor
