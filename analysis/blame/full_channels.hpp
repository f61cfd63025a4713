// When the pipe or connection to which a process wrote was full, and a reader made room.
//
// No event tells that a write waited. A meter in the kernel records a SEND when it has ended, one that handles calls when it begins. What the
// channel held meanwhile follows from the bytes:
//
//     writer   ──SEND────────▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒SEND──     ▒ it is idle: between the two it did nothing else that has an event
//                 the channel holds 64 KiB    /
//     reader   ──RECEIVE──(it does other things)──RECEIVE──    this one made room
//
// The channel counts as full if what was written and not yet read, with this SEND, is more than a half of what such a channel holds: writes
// that do not fill a page, and the kernel's own data for each, take room too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/blame/process_line.hpp"
#include "model/event.hpp"
#include "model/trace_info.hpp"

namespace dpm {

class FullChannels {
 public:
  FullChannels(std::span<const Event> events, std::span<const std::int64_t> times_ns, const TraceInfo& info);

  struct Room {
    ProcessId reader;
    std::int64_t made_ns = 0;  // within the gap
  };
  // None: the SEND of this gap, at its end or its beginning, found room at once, or it is not known.
  std::optional<Room> room_for(const Event& send, BlameInterval gap) const;

 private:
  struct Take {
    std::int64_t called_ns = 0, at_ns = 0;
    std::uint64_t until = 0;  // the byte up to which all was read then
    ProcessId reader;
  };
  struct Channel {
    std::int64_t half_bytes = 0;        // 0: it is not known how much it holds
    std::int64_t write_bytes = 0;       // that the kernel counts for each write, besides what was written
    std::vector<std::uint64_t> begins;  // of its SENDs, the first bytes
    std::vector<Take> takes;            // by time
  };
  Channel* channel_of(const Event& event);
  // What is in the channel if it was read up to there, with this SEND.
  static std::int64_t held_bytes(const Channel& channel, const Event& send, std::uint64_t until);

  std::vector<Channel> channels_;
};

}  // namespace dpm
