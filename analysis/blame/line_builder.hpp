// Makes the lines of processes from their events: what the time between two events was, and what ended an idle time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analysis/blame/full_channels.hpp"
#include "analysis/blame/process_line.hpp"
#include "model/event.hpp"

namespace dpm {

class LineBuilder {
 public:
  // `events` in the order of each process; `times_ns` has one entry for each. All three must live as long as this.
  LineBuilder(std::span<const Event> events, std::span<const std::int64_t> times_ns, const TraceInfo& info);

  // `own`: the places of the process's events, at least one.
  ProcessLine line_of(std::span<const std::uint32_t> own) const;

 private:
  using Asked = std::map<std::uint32_t, std::vector<std::int64_t>>;  // by peer: SENDs that no answer followed yet

  ProcessGap gap_between(std::span<const std::uint32_t> own, std::size_t i, BlameInterval interval) const;
  // What the idle time waits for; it may become less.
  void find_wait(ProcessGap& gap, std::span<const std::uint32_t> own, std::size_t i, std::int64_t& idle_ns) const;
  void find_connection(ProcessGap& gap, std::uint32_t accept, bool is_measured, std::int64_t& idle_ns) const;
  // Whether it waited until there was room for a SEND.
  bool find_room(ProcessGap& gap, std::span<const std::uint32_t> own, std::size_t i, bool is_measured,
                 std::int64_t& idle_ns) const;
  void find_end(ProcessGap& gap, const Event& wait, bool is_measured, std::int64_t& idle_ns) const;
  // Its row; none: no message ended the gap before this event.
  std::optional<std::uint32_t> receive_at(std::span<const std::uint32_t> own, std::size_t i) const;
  static void note_request(const Event& event, std::int64_t now_ns, Asked& asked, std::vector<BlameRequest>& requests);

  std::span<const Event> events_;
  std::span<const std::int64_t> times_ns_;
  const TraceInfo& info_;
  // By event: when the message of a RECEIVE was sent, or the connection of an ACCEPT made.
  std::vector<std::int64_t> sent_at_;
  std::vector<std::int64_t> ended_at_;  // by process
  FullChannels full_channels_;
};

}  // namespace dpm
