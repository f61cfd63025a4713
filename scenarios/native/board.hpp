// What the launcher and its processes know of each other while they run: a table in a file in memory, with one row for
// each process, which only that process writes. Nothing is sent for it and no memory is shared, so a meter sees the
// program's own messages and nothing else.
//
//   state     written whenever it changes; may be read at any time
//   counts    written when the process ends, or is told to
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm::native {

enum class Doing : std::uint32_t {
  starting,
  at_the_gate,
  running,
  awaiting_message,
  awaiting_reply,
  awaiting_data,
  delivering,
  sleeping
};

struct ProcessState {
  static constexpr std::size_t kSendersShown = 5;
  static constexpr std::size_t kKindsLongest = 100;

  void set_kinds(std::string_view words);

  Doing doing = Doing::starting;
  // The processes it waits for: the one that it called, or those over whose links it receives. 0: any process.
  std::uint32_t awaited_count = 0;
  std::array<std::uint32_t, kSendersShown> awaited = {};
  std::array<char, kKindsLongest> kinds = {};  // of messages, in the program's own words, ended by 0
  std::uint32_t has_deadline = 0;              // 1: it goes on by itself
  std::uint32_t rests = 1;                     // 0: it waits in the middle of its work
  std::uint64_t changes = 0;                   // of what it does
  std::uint64_t messages_sent = 0;
};

struct KindCount {
  std::uint32_t code = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

struct ProcessCounts {
  static constexpr std::size_t kKinds = 64;

  std::int64_t cpu_ns_at_start = 0;
  std::int64_t cpu_ns_at_end = 0;
  std::int64_t last_activity_ns = 0;  // its last call or end of computing, by the clock all share
  std::uint64_t messages_received = 0;
  std::uint64_t data_received = 0;           // parts of data that were moved to it
  std::uint64_t messages_dropped = 0;        // to processes that were gone, and replies to CALLs that were given up
  std::array<KindCount, kKinds> kinds = {};  // in order of first use; the last also counts what found no place
  std::uint32_t kinds_used = 0;

  KindCount& kind(std::uint32_t code);
};

struct PeerCount {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

// In the launcher.
class Board {
 public:
  static Result<Board> create(std::size_t processes);

  ProcessState state(std::size_t process) const;
  ProcessCounts counts(std::size_t process) const;
  std::vector<PeerCount> sent_by(std::size_t process) const;  // by receiver; the last is the process manager

  // Processes wait at the gate until all are there, so that none begins before another exists.
  void open_gate() const;

  int file() const { return file_.get(); }
  std::size_t processes() const { return processes_; }

 private:
  Board(UniqueFd file, std::size_t processes) : file_(std::move(file)), processes_(processes) {}

  UniqueFd file_;
  std::size_t processes_;
};

// In a process: its row.
class BoardRow {
 public:
  BoardRow(const Board& board, std::size_t process);

  ProcessState state;
  ProcessCounts counts;
  std::vector<PeerCount> sent_to;

  void wait_at_gate();
  void change(Doing now);
  void count_sent(std::uint32_t receiver, std::uint32_t length_bytes);
  // Everything; harmless in a signal handler.
  void write_all() const;

 private:
  void write_state() const;

  int file_;
  std::int64_t begins_at_;
};

// CLOCK_MONOTONIC, and the CPU time this operating system process has used.
std::int64_t monotonic_ns();
std::int64_t own_cpu_ns();

}  // namespace dpm::native
