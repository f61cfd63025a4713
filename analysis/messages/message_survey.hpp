// The first reading of a live trace: which bytes and datagrams passed over which channel, and which processes were at
// its ends.
//
// Memory: 16 bytes for each SEND and RECEIVE on a stream, about 50 for a datagram, and a fixed amount for each end of a
// channel.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/messages/byte_ranges.hpp"
#include "analysis/messages/datagrams.hpp"
#include "model/event_source.hpp"

namespace dpm {

struct ChannelTraffic {
  ByteRanges sent, received;             // of a stream
  std::unique_ptr<Datagrams> datagrams;  // of the others, once there is one
  // The metered process at each end, or none: one that sent or received there, or else one that was seen to hold the
  // descriptor. Of several, the first in the trace's table.
  ProcessId writer, reader;
};

// Whether there is anything to resolve: messages on numbered channels need nothing.
bool has_live_channels(const TraceInfo& info);

class MessageSurvey : public EventSink {
 public:
  void on_begin(const TraceInfo& info) override;
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

  // ---- after on_end()
  std::vector<ChannelTraffic>& channels() { return channels_; }  // by channel; none for those never used
  const std::vector<ChannelTraffic>& channels() const { return channels_; }
  std::uint64_t contradictions() const { return contradictions_; }
  std::uint64_t gap_bytes() const { return gap_bytes_; }
  std::uint64_t gap_datagrams() const { return gap_datagrams_; }

 private:
  ChannelTraffic* traffic(ChannelId channel);
  void note_holder(ProcessId process, ChannelId writes, ChannelId reads);
  void note_message(const Event& event, ChannelTraffic& traffic);

  const TraceInfo* info_ = nullptr;
  struct Holders {
    ProcessId of_writing, of_reading;
  };

  std::vector<ChannelTraffic> channels_;
  std::vector<Holders> holders_;  // by channel
  std::uint64_t contradictions_ = 0, gap_bytes_ = 0, gap_datagrams_ = 0;
};

}  // namespace dpm
