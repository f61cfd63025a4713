// Finds, for a channel that a meter describes, the channel of the union that it is: the other end may have been met by
// another meter, or the same end by an earlier one.
//
//   TCP      stream_names.hpp: both ends know both names
//   UDP      datagram_names.hpp: both ends know where a datagram was sent to and where it came from
//   UNIX     sockets and pipes: their numbers, within one host
//
// What it cannot tell apart it leaves apart, and says so. Channels of other kinds are never joined.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "merge/datagram_names.hpp"
#include "merge/stream_names.hpp"
#include "model/trace_info.hpp"

namespace dpm {

class ChannelJoiner {
 public:
  // Appends to the channels of `info`, which must outlive it.
  explicit ChannelJoiner(TraceInfo& info) : info_(&info), streams_(info), datagrams_(info) {}

  // `described` has the union's ids. In the order in which the input's meter met its channels.
  ChannelId join(const ChannelInfo& described, ChannelOrigin origin);

  // The channel is described again: what was not known of it may be known now.
  void learn(ChannelId channel, const ChannelInfo& described);

  std::vector<std::string> warnings() const;

 private:
  ChannelId join_local(const ChannelInfo& described);

  TraceInfo* info_;
  StreamNames streams_;
  DatagramNames datagrams_;
  std::unordered_map<std::string, ChannelId> local_;  // UNIX sockets and pipes, by host and name
};

}  // namespace dpm
