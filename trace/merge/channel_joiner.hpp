// Finds, for a channel that a meter describes, its channel in the union: another meter may have seen the other end, or
// an earlier meter the same end.
//
//   TCP      stream_names.hpp: both ends know both names
//   UDP      datagram_names.hpp: both ends know where a datagram was sent to and where it came from
//   UNIX     sockets and pipes: their numbers, within one host
//
// Ends that it cannot distinguish stay apart, and a warning reports them. Channels of other kinds are never joined.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/trace_info.hpp"
#include "trace/merge/datagram_names.hpp"
#include "trace/merge/live_channels.hpp"
#include "trace/merge/stream_names.hpp"

namespace dpm {

class ChannelJoiner {
 public:
  // Appends to the channels of `growth`; `info` has the machines. Both must outlive it.
  ChannelJoiner(const TraceInfo& info, TraceGrowth& growth)
      : info_(&info), channels_(growth), streams_(info, channels_), datagrams_(info) {}

  // `described` has the union's ids. Call in the order in which the input's meter first saw its channels.
  ChannelId join(const ChannelInfo& described, ChannelOrigin origin);

  // Adds what becomes known later of a channel that was joined.
  LiveChannels& channels() { return channels_; }

  // Like LiveChannels::close(): forgotten channels are not joined any more.
  void close(ChannelId channel, bool for_good);
  std::size_t remembered() const { return channels_.size(); }

  std::vector<std::string> warnings() const;

 private:
  ChannelId join_local(const ChannelInfo& described);
  std::string local_key(const ChannelInfo& described) const;

  const TraceInfo* info_;
  LiveChannels channels_;
  StreamNames streams_;
  DatagramNames datagrams_;
  std::unordered_map<std::string, ChannelId> local_;  // UNIX sockets and pipes, by host and name
  std::unordered_map<std::uint32_t, std::string> local_keys_;
};

}  // namespace dpm
