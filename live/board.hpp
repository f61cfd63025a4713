// What the launcher and its processes know of each other while they run: memory they share. Nothing is sent for it, so
// whoever meters the processes sees the program's own messages and no others.
//
// Each row is written by its own process alone. What is counted may be read when that process has ended; what is atomic
// at any time.
#pragma once

#include <semaphore.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/result.hpp"
#include "model/time.hpp"

namespace dpm::live {

enum class Doing : std::uint32_t { starting, running, awaiting_message, awaiting_reply, awaiting_data, delivering };

struct KindCount {
  std::uint32_t code = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

struct PeerCount {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct BoardRow {
  static constexpr std::size_t kKinds = 64;
  static constexpr std::size_t kSendersShown = 5;

  std::atomic<Doing> doing{Doing::starting};
  std::atomic<std::uint64_t> changes{0};  // of what it does
  std::atomic<std::uint64_t> messages_sent{0};

  // For whom it waits: the process it called, or the first of those whose links it receives over. None: anybody.
  std::atomic<std::uint32_t> awaited_count{0};
  std::array<std::atomic<std::uint32_t>, kSendersShown> awaited{};

  std::int64_t cpu_ns_at_start = 0;
  std::int64_t cpu_ns_at_end = 0;     // 0 unless it ended by itself
  std::int64_t last_activity_ns = 0;  // its last call or end of computing, by the clock all share
  std::uint64_t messages_received = 0;
  std::uint64_t messages_dropped = 0;     // to processes that were gone
  std::array<KindCount, kKinds> kinds{};  // in order of first use; the last also counts what found no place
  std::uint32_t kinds_used = 0;

  void change(Doing now);
  KindCount& kind(std::uint32_t code);
};

class Board {
 public:
  static Result<Board> create(std::size_t processes);
  Board(Board&& other) noexcept;
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;
  ~Board();

  BoardRow& row(std::size_t process) { return rows_[process]; }
  const BoardRow& row(std::size_t process) const { return rows_[process]; }
  std::size_t size() const { return rows_.size(); }

  // What `process` has sent, by receiver.
  std::span<PeerCount> sent_by(std::size_t process) { return peers_.subspan(process * rows_.size(), rows_.size()); }

  // Processes wait at the gate until all are there, so that none begins before another exists.
  void wait_at_gate();
  std::size_t waiting_at_gate() const;
  void open_gate();

 private:
  struct Gate {
    sem_t passes;
    std::atomic<std::uint32_t> waiting{0};
  };

  Board(void* memory, std::size_t bytes, std::size_t processes);

  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  Gate* gate_ = nullptr;
  std::span<BoardRow> rows_;
  std::span<PeerCount> peers_;
};

// CLOCK_MONOTONIC, and the CPU time this operating system process has used.
std::int64_t monotonic_ns();
std::int64_t own_cpu_ns();

}  // namespace dpm::live
