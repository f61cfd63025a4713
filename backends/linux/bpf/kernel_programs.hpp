// The eBPF programs (programs/) in the running kernel: loads and attaches them, marks the threads that they follow, and
// counts what they could not report. The only home of libbpf, with the reader of their rings.
//
// Everything belongs to this process: when it ends, however it ends, the kernel detaches the programs and frees their
// maps. The metered program does not notice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/linux/bpf/kernel_account.hpp"
#include "backends/linux/bpf/kernel_record.h"
#include "backends/linux/bpf/kernel_surroundings.hpp"
#include "model/result.hpp"

struct ring_buffer;

namespace dpm {

class KernelPrograms {
 public:
  static constexpr std::size_t kRingBytesDefault = 8 << 20;

  struct Options {
    std::size_t ring_bytes = kRingBytesDefault;  // of each processor; a power of two, and at least a page
    bool paths = true;                           // also report socket, connect, dup and close
    bool hand_overs = false;                     // also what threads hand over at futexes
    dpm_scope scope = {};
  };
  static KernelSurroundings surroundings();
  // Fails with what is missing and how to get it.
  static Result<KernelPrograms> load(const Options& options);
  // Loads them, and unloads them at once: why that fails here.
  static std::optional<std::string> refusal_here();

  KernelPrograms(KernelPrograms&&) noexcept;
  KernelPrograms& operator=(KernelPrograms&&) noexcept;
  ~KernelPrograms();

  // The thread behind this pidfd (of a process: its first thread), and all that it will start, are metered from now on.
  Result<void> follow(int thread_fd, dpm_followed thread);

  // One for each processor, and last the one of processes and names.
  const std::vector<int>& rings() const;
  dpm_shared& shared();

  struct Refused {
    std::uint32_t pid = 0;
    dpm_record_kind kind = dpm_sent;
    std::uint64_t records = 0;
  };
  std::vector<Refused> refused() const;

  struct Bypassing {
    std::uint32_t pid = 0;
    std::string process;  // its name
    dpm_bypass kind = dpm_bypass_none;
    std::uint64_t calls = 0;
  };
  std::vector<Bypassing> bypassing() const;

  // Uses of sockets that the programs at functions did not see: a thread of any process had interrupted them. At tracepoints
  // nothing interrupts them.
  std::uint64_t missed_uses() const;

  std::vector<KernelAccount> accounts() const;

 private:
  struct State;
  explicit KernelPrograms(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dpm
