// Access to a metered process from outside: its descriptors (borrowed for microseconds, never kept), its memory, its
// CPU time. Everything here is refused by the kernel unless our account may trace that process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

// A descriptor that stands for the thread itself where the kernel can (6.9), for its process otherwise: it sees the
// thread's descriptor table even if the process's first thread has ended.
UniqueFd open_thread(std::uint32_t tid, std::uint32_t pid);

// A duplicate of the thread's descriptor `fd`; empty if it has none of that number. Keep it for as short as possible:
// as long as it lives, closing the original does not reach its peer.
UniqueFd borrow_descriptor(int thread_fd, int fd);

// How many bytes at `address` of that process could be read.
std::size_t read_memory(std::uint32_t tid, std::uint64_t address, std::span<std::byte> into);

// Several places at once, up to the first that cannot be read.
struct MemoryPart {
  std::uint64_t address = 0;
  std::span<std::byte> into;
};
void read_memory(std::uint32_t tid, std::span<const MemoryPart> parts);

// CPU time of a process, all threads, of a process other than our own: 0.4 us. Nothing if it is gone.
bool process_cpu_time_ns(std::uint32_t pid, std::uint64_t& cpu_ns);

// Numbers about one thread from files of /proc that are opened once and read again and again.
class ThreadFiles {
 public:
  ThreadFiles() = default;
  ThreadFiles(std::uint32_t pid, std::uint32_t tid) : pid_(pid), tid_(tid) {}
  ThreadFiles(const ThreadFiles&) = delete;
  virtual ~ThreadFiles() = default;  // a test answers from a script

  // The thread's own CPU time: 0.8 us.
  virtual bool cpu_time_ns(std::uint64_t& cpu_ns);

  // Bytes that its read() and write() calls have returned so far; calls of the recv and send families do not count.
  struct Transferred {
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
  };
  virtual bool transferred(Transferred& bytes);

  // What the thread does when a child of its process ends, and its process group: 3 us.
  struct ChildHandling {
    bool caught = false, ignored = false, blocked = false;  // SIGCHLD
    std::uint32_t group = 0;
  };
  virtual bool child_handling(ChildHandling& handling);

  // Of a thread that waits in a system call: 2.4 us.
  virtual bool stack_pointer(std::uint64_t& address);

 private:
  std::uint32_t pid_ = 0, tid_ = 0;
  UniqueFd schedstat_, io_, syscall_, stat_;
};

}  // namespace dpm
