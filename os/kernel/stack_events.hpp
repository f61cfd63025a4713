// The call stacks of running threads, taken by the kernel at constant intervals of their CPU time, without stopping them
// (perf_event_open with the task clock: it needs no counter of the processor, and thus works on virtual machines).
//
//   thread ──► one event for each CPU ──┐
//   thread ──► ...                      ├──► one ring for each CPU ──► read()
//   what it starts inherits its events ─┘
//
// Stacks are followed by their frame pointers, in user space only: what a thread does inside the kernel has no stack, as the kernel
// allows it to ordinary accounts. A thread that uses less than an interval of CPU time may have none either; cpu_ns() has both.
//
// Allowed to root, and to everyone for their own processes where kernel.perf_event_paranoid is 2 or less; Debian ships with 3.
// Costs a descriptor for each CPU and attached thread, and 0.5 MB of memory for each CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/result.hpp"
#include "os/kernel/stack_records.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class StackEvents {
 public:
  // 99 a second: in step with no period that is common in programs.
  static constexpr std::uint64_t kInterval_ns = 1'000'000'000 / 99;

  // Refused with the reason and what to do.
  static Result<StackEvents> open();

  enum class Begin : std::uint8_t { now, at_exec };
  enum class Attached : std::uint8_t { yes, gone, refused, no_descriptors };
  // The thread, and all threads and processes that it starts from now on.
  Attached attach(std::uint32_t tid, Begin begin);

  // Appends what was reported since the last time. Records of one CPU are in the order of their times, those of several are not.
  // Returns how many could not be read.
  std::uint64_t read(std::vector<StackRecord>& records);
  // Readable when some ring is half full.
  int descriptor() const { return ready_.get(); }

  struct Sums {
    std::uint64_t cpu_ns = 0;        // of all that was attached and what it started, with the time in the kernel
    std::uint64_t lost_records = 0;  // since Linux 6.0
  };
  Sums sums() const;
  bool tells_losses() const { return tells_losses_; }

 private:
  class Ring {
   public:
    Ring(int cpu, UniqueFd event, void* memory, std::size_t bytes)
        : cpu_(cpu), event_(std::move(event)), memory_(memory), bytes_(bytes) {}
    Ring(Ring&& other) noexcept;
    Ring(const Ring&) = delete;
    ~Ring();

    std::uint64_t read(std::vector<std::byte>& buffer, std::vector<StackRecord>& records);
    int cpu() const { return cpu_; }
    int event() const { return event_.get(); }

   private:
    int cpu_;
    UniqueFd event_;  // of this process, and counts nothing: it outlives what is sampled
    void* memory_;    // a page for both sides, then the records
    std::size_t bytes_;
  };

  static Result<Ring> make_ring(int cpu, UniqueFd event);
  static void add(const UniqueFd& event, Sums& sums);
  UniqueFd open_for(std::uint32_t tid, int cpu, Begin begin);
  void release_ended();

  std::vector<Ring> rings_;
  UniqueFd ready_;
  std::vector<UniqueFd> events_;
  std::size_t release_at_ = 1024;  // events
  Sums released_;                  // of events that are closed
  bool tells_losses_ = true;
  std::vector<std::byte> buffer_;
};

}  // namespace dpm
