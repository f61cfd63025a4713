// Waits for a disk, which need a disk that is slow on purpose.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <iostream>

#include "tests/sampling/forced/forced_process.hpp"
#include "tests/sampling/forced/throttled_disk.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sampling {
namespace {

constexpr double kRecognised = .99;
constexpr std::size_t kRead = 1 << 20;

using Enter = std::function<void(const std::string& path)>;

void* memory() {
  return ::mmap(nullptr, kRead, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
}

void read_buffered(const std::string& path) {
  if (::read(::open(path.c_str(), O_RDONLY), memory(), kRead) < 0) ::_exit(2);
}

void read_direct(const std::string& path) {
  if (::read(::open(path.c_str(), O_RDONLY | O_DIRECT), memory(), kRead) < 0) ::_exit(2);
}

void fault(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY);
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
  const auto* bytes = static_cast<volatile char*>(::mmap(nullptr, kRead, PROT_READ, MAP_SHARED, fd, 0));
  for (std::size_t i = 0; i < kRead; i += 4096) static_cast<void>(bytes[i]);
}

// Each part needs its block first, and holds the lock of the inode meanwhile.
void write_parts(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY);
  for (off_t at = 5; at < off_t{kRead}; at += 65536)
    if (::pwrite(fd, "z", 1, at) < 0) ::_exit(2);
}

// The last of the processes must be in the state; those before it make it wait.
void check(State state, const std::vector<Enter>& enters) {
  std::string reason;
  const auto disk = ThrottledDisk::make(reason);
  if (!disk) {
    std::cout << "SKIPPED: " << reason << std::endl;
    return;
  }
  disk->forget_pages();
  disk->set_slow(true);
  std::vector<std::unique_ptr<ForcedProcess>> processes;
  for (const auto& enter : enters) {
    processes.push_back(std::make_unique<ForcedProcess>([&] {
      disk->enter();
      enter(disk->file());
    }));
    ::usleep(100'000);
  }
  const LevelCounts counts = sampled({processes.back()->pid()}, {state});
  INFO(info_of(state).name << " expected, found: " << found_text(counts));
  CHECK(share_of_waits_in(counts, {state}) >= kRecognised);
  disk->set_slow(false);
}

TEST_CASE("forced: reads, writes and page faults that wait for the disk, and the lock of an inode", "[sampling]") {
  check(State::disk_io, {read_buffered});
  check(State::disk_io, {read_direct});
  check(State::page_wait, {fault});
  check(State::disk_io, {write_parts});
  check(State::inode_lock, {write_parts, write_parts});
}

}  // namespace
}  // namespace dpm::sampling
