// What became of every message: both ends are in the trace, or one of them and a reason.
//
//   matched          both ends, within a machine or between two
//   outside          the other end is a process that was not metered
//   before_acquire   the other end was acquired, and this message is older than the first one seen there
//   not_received     sent after everything that its receiver was seen to take: still on its way, or never read
//   lost             should be in the trace and is not
//
// A RECEIVE without its SEND is never `not_received`; it is lost unless one of the others applies.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/history/message_pairs.hpp"
#include "model/event_source.hpp"

namespace dpm {

enum class Fate : std::uint8_t { matched_within, matched_between, outside, before_acquire, not_received, lost };
inline constexpr std::size_t kFates = 6;

struct Matching {
  std::array<std::uint64_t, kFates> messages{};  // by Fate

  std::uint64_t of(Fate fate) const { return messages[static_cast<std::size_t>(fate)]; }
  std::uint64_t all() const;
  // Of the messages with metered processes at both ends, the part that is matched. 1 if there are none.
  double matched_share() const;
};

class MatchingAnalysis : public EventSink {
 public:
  void on_begin(const TraceInfo& info) override { info_ = &info; }
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

  // After on_end().
  const Matching& result() const { return result_; }

 private:
  // What was seen at the two ends of a channel; where senders number their messages separately, of each sender.
  struct Span {
    std::uint64_t first_sent = ~std::uint64_t{0}, first_received = ~std::uint64_t{0}, last_received = 0;
    bool any_received = false;
  };

  std::uint64_t span_key(const SeenEnd& end) const;
  void note(const SeenEnd& end);
  bool was_acquired(ProcessId process) const;
  Fate fate_of(const SeenEnd& end) const;

  const TraceInfo* info_ = nullptr;
  MessagePairs pairs_;
  std::unordered_map<std::uint64_t, Span> spans_;
  Matching result_;
};

}  // namespace dpm
