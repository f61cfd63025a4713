// Access to a metered process from outside: its descriptors (borrowed for microseconds, never kept), its memory, its
// CPU time. The kernel refuses all of it unless the account may trace the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

// A pidfd of the thread itself where the kernel can (since 6.9), of its process otherwise. A pidfd of the thread gives
// access to its descriptor table even if the process's first thread has ended.
UniqueFd open_thread(std::uint32_t tid, std::uint32_t pid);

// A duplicate of the thread's descriptor `fd`; empty if there is none of that number. Keep it as briefly as possible:
// as long as it lives, the peer does not notice that the program closes the original.
UniqueFd borrow_descriptor(int thread_fd, int fd);

// Returns how many bytes at `address` of the process could be read.
std::size_t read_memory(std::uint32_t tid, std::uint64_t address, std::span<std::byte> into);

// Several places at once, up to the first that cannot be read.
struct MemoryPart {
  std::uint64_t address = 0;
  std::span<std::byte> into;
};
void read_memory(std::uint32_t tid, std::span<const MemoryPart> parts);

// The CPU time of all threads of a process other than the calling one; of a thread that runs on another CPU, up to the
// last tick there. Costs 0.4 us. False if it is gone.
bool process_cpu_time_ns(std::uint32_t pid, std::uint64_t& cpu_ns);

// Numbers about one thread, from files of /proc that are opened once and read many times.
class ThreadFiles {
 public:
  ThreadFiles() = default;
  ThreadFiles(std::uint32_t pid, std::uint32_t tid) : pid_(pid), tid_(tid) {}
  ThreadFiles(const ThreadFiles&) = delete;
  virtual ~ThreadFiles() = default;  // a test answers from a script

  // The thread's own CPU time. Costs 0.8 us.
  virtual bool cpu_time_ns(std::uint64_t& cpu_ns);

  // The bytes that its read() and write() calls have returned so far; the recv and send families are not counted.
  struct Transferred {
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
    std::uint64_t reads = 0, writes = 0;  // the calls, of files too: pread(), and what exec() reads
  };
  virtual bool transferred(Transferred& bytes);

  // What the thread does when a child of its process ends, and its process group. Costs 3 us.
  struct ChildHandling {
    bool caught = false, ignored = false, blocked = false;  // SIGCHLD
    std::uint32_t group = 0;
  };
  virtual bool child_handling(ChildHandling& handling);

  // The stack pointer of a thread that waits in a system call. Costs 2.4 us.
  virtual bool stack_pointer(std::uint64_t& address);

 private:
  std::uint32_t pid_ = 0, tid_ = 0;
  UniqueFd schedstat_, io_, syscall_, stat_;
};

}  // namespace dpm
