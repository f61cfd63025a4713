// The channels of a strace log: a direction of a connection, or a pipe, by the names of its ends.
//
// The log has no number for a connection, so its name tells it. Where the log shows that a connection with the same name begins
// again (accept, pipe, socketpair), there is a new channel.
//
// A UNIX socket has no peer's number until its connection is accepted, and may have sent before. So its channels are known by the
// number of the sender alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/strace/strace_descriptor.hpp"
#include "model/trace_info.hpp"

namespace dpm {

class StraceChannels {
 public:
  explicit StraceChannels(TraceInfo& info) : info_(info) {}

  struct Channel {
    ChannelId id;
    std::uint64_t sent = 0, received = 0;  // bytes of a stream, messages of datagrams
  };

  // The descriptor with what the log has said elsewhere about its other end.
  StraceDescriptor completed(StraceDescriptor descriptor);

  // Through this descriptor, which is connected.
  Channel& sending(const StraceDescriptor& descriptor);
  Channel& receiving(const StraceDescriptor& descriptor);

  // A new connection or pipe: what was seen under its name was another.
  void begins(const StraceDescriptor& descriptor);
  // A new socket: its number may have been that of another.
  void is_new(const StraceDescriptor& descriptor);

 private:
  Channel& channel(const StraceDescriptor& of, std::string_view from, std::string_view to, bool is_sender);

  TraceInfo& info_;
  std::map<std::string, Channel, std::less<>> by_key_;
  std::map<std::string, std::string, std::less<>> unix_peers_;  // by number of the socket
};

}  // namespace dpm
