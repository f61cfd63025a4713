// Whether a meter is stopped (SIGSTOP, a debugger): it lives, and the program's calls wait for it.
//
//     meter     ──beats──beats──■ stopped ························ continued ──beats──
//     keeper    ─────look──────────────look──look ─ answers ─ answers ── stands by ──
//                     └──── kLookMs ────┘└kBoundNs┘
//
// Only the state that the kernel shows counts. A meter that is slow, on a machine however busy, is not stopped.
// Reading that state costs more than looking at its heartbeat, so it is read only when the heart has not beaten since
// the last look: hundreds of idle meters cost next to nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "os/unique_fd.hpp"

namespace dpm {

class StoppedMeter {
 public:
  // Its heart has not beaten from one look to the next, and it has been seen stopped for as long as this, when the
  // keeper begins to answer: two seconds after it was stopped at most.
  static constexpr std::int64_t kBoundNs = 150'000'000;
  static constexpr int kLookMs = 900;        // the heart pauses for a third of that
  static constexpr int kLookCloselyMs = 50;  // at one that may be stopped

  // Whether its state must be read to know.
  bool is_suspicious(std::uint64_t heartbeat);
  // What its state showed: true when it has been stopped for kBoundNs.
  bool look(std::int64_t now_ns, bool stopped);
  bool may_be_stopped() const { return stopped_since_ns_ != 0; }
  std::int64_t stopped_since_ns() const { return stopped_since_ns_; }

 private:
  std::uint64_t heartbeat_ = 0;
  std::int64_t stopped_since_ns_ = 0;  // 0: not seen so
};

// Of the text of /proc/PID/stat.
bool says_stopped(std::string_view stat);

// That file, kept open: it does not become another process's when the number is used again.
UniqueFd open_process_state(std::uint32_t pid);
// False too where it cannot be read.
bool is_stopped(const UniqueFd& state);

}  // namespace dpm
