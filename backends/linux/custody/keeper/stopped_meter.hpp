// Detects a meter that is stopped (SIGSTOP, a debugger): it lives, but the program's calls wait for it.
//
//     meter     ──beats──beats──■ stopped ························ continued ──beats──
//     keeper    ─────look──────────────look──look ─ answers ─ answers ── stands by ──
//                     └──── kLookMs ────┘└kBoundNs┘
//
// Only the state in /proc counts: a slow meter on a busy machine is not stopped. Reading that state costs more than
// reading the heartbeat, so it is read only if the heart has not beaten since the last look: hundreds of idle meters cost
// almost nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "os/unique_fd.hpp"

namespace dpm {

class StoppedMeter {
 public:
  // The keeper begins to answer when the heart has not beaten between two looks and the meter has been seen stopped for
  // this time: at most two seconds after it was stopped.
  static constexpr std::int64_t kBoundNs = 150'000'000;
  static constexpr int kLookMs = 900;        // the heart pauses for a third of that
  static constexpr int kLookCloselyMs = 50;  // at a meter that may be stopped

  // Whether its state must be read.
  bool is_suspicious(std::uint64_t heartbeat);
  // Takes the state that was read. True when the meter has been stopped for kBoundNs.
  bool look(std::int64_t now_ns, bool stopped);
  bool may_be_stopped() const { return stopped_since_ns_ != 0; }
  std::int64_t stopped_since_ns() const { return stopped_since_ns_; }

 private:
  std::uint64_t heartbeat_ = 0;
  std::int64_t stopped_since_ns_ = 0;  // 0: not seen stopped
};

// From the text of /proc/PID/stat.
bool says_stopped(std::string_view stat);

// Opens that file. It does not become another process's when the pid is used again.
UniqueFd open_process_state(std::uint32_t pid);
// Also false if it cannot be read.
bool is_stopped(const UniqueFd& state);

}  // namespace dpm
