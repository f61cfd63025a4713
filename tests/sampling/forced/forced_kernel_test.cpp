// States that last for microseconds unless something is arranged so that they last: a thread that has not had its first turn, the
// lock of an address space, a wait for the kernel's own work.
#include <fcntl.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "sampling/proc/sample_clock.hpp"
#include "tests/sampling/forced/forced_process.hpp"
#include "tests/sampling/forced/throttled_disk.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sampling {
namespace {

constexpr double kRecognised = .99;

void check_found(const ForcedStates::Found& found) {
  INFO(info_of(found.expected).name << " expected, from " << found.source << ": " << found_text(found.counts));
  CHECK(share_in(found.counts, {found.expected}) >= kRecognised);
}

// One call after the other waits until all CPUs have passed a quiet state. Between them it is not in the queue for a CPU, whatever else
// runs, where it may have the priority for that.
void wait_for_kernel() {
  const sched_param urgent = {.sched_priority = 1};
  (void)::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &urgent);
  for (;;)
    if (::syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) != 0) ::_exit(2);
}

TEST_CASE("forced: work of the kernel", "[sampling]") {
  ForcedStates forced;
  forced.add(State::kernel, wait_for_kernel);
  for (const auto& found : forced.sampled()) {
    INFO("from " << found.source << ": " << found_text(found.counts));
    CHECK(share_of_waits_in(found.counts, {found.expected}) >= kRecognised);
  }
}

void* shared_page() { return ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); }

// On a CPU that a real-time process has for itself, a child of it does not get its first turn, for most of a second.
[[noreturn]] void withhold_first_turn(volatile pid_t* child) {
  cpu_set_t last;
  CPU_ZERO(&last);
  CPU_SET(static_cast<std::size_t>(::sysconf(_SC_NPROCESSORS_ONLN) - 1), &last);
  ::sched_setaffinity(0, sizeof last, &last);
  const sched_param urgent = {.sched_priority = 1};
  if (::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &urgent) != 0) ::_exit(2);
  const pid_t made = ::fork();
  if (made == 0) ::_exit(0);
  *child = made;
  for (volatile bool on = true; on;) {
  }
  ::_exit(0);
}

TEST_CASE("forced: a process that has not had a turn on a CPU", "[sampling]") {
  const sched_param urgent = {.sched_priority = 1}, usual = {};
  if (::sysconf(_SC_NPROCESSORS_ONLN) < 2 || ::sched_setscheduler(0, SCHED_FIFO, &urgent) != 0) {
    std::cout << "SKIPPED: it needs two CPUs and the right to real-time priorities" << std::endl;
    return;
  }
  ::sched_setscheduler(0, SCHED_OTHER, &usual);
  auto* child = static_cast<volatile pid_t*>(shared_page());
  for (const bool by_iterator : {false, true}) {
    auto looker = by_iterator ? iterator_if_possible() : nullptr;
    if (by_iterator && !looker) break;
    *child = 0;
    ForcedProcess parent([&] { withhold_first_turn(child); });
    for (int i = 0; i < 1000 && *child == 0; ++i) ::usleep(1000);
    REQUIRE(*child != 0);
    const LevelCounts counts = sampled({static_cast<std::uint32_t>(*child)}, {State::created}, 100, std::move(looker));
    check_found({State::created, by_iterator ? "iterator" : "proc", counts});
  }
}

// The memory of `pid` is read by another process where it has a page of the slow disk, which takes the address space of
// `pid` as long as the disk needs.
void read_memory_of(pid_t pid, std::uint64_t address) {
  const int memory = ::open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDONLY);
  char byte;
  for (off_t at = 0;; at = (at + 65536) % (1 << 20))
    if (::pread(memory, &byte, 1, static_cast<off_t>(address) + at) < 0) ::_exit(2);
}

TEST_CASE("forced: the lock of an address space", "[sampling]") {
  std::string reason;
  const auto disk = ThrottledDisk::make(reason);
  if (!disk) {
    std::cout << "SKIPPED: " << reason << std::endl;
    return;
  }
  disk->forget_pages();
  disk->set_slow(true);
  struct Shared {
    volatile std::uint64_t address;
    volatile bool is_read;
  };
  auto* shared = static_cast<Shared*>(shared_page());
  {
    ForcedStates forced;
    pid_t pid = 0;
    forced.add(State::address_space, [&] {
      const int fd = ::open(disk->file().c_str(), O_RDONLY);
      ::posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
      shared->address = reinterpret_cast<std::uint64_t>(::mmap(nullptr, 1 << 20, PROT_READ, MAP_SHARED, fd, 0));
      while (!shared->is_read) ::usleep(1000);
      ::usleep(100'000);
      ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    });
    pid = static_cast<pid_t>(forced.pid_of_last());
    while (shared->address == 0) ::usleep(1000);
    ForcedProcess reader([&] {
      disk->enter();
      shared->is_read = true;
      read_memory_of(pid, shared->address);
    });
    for (const auto& found : forced.sampled(100)) check_found(found);
    disk->set_slow(false);
  }
}

}  // namespace
}  // namespace dpm::sampling
