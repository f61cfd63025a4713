// Joins the directions of TCP connections by name. Both ends of a connection know the names of both, so what two
// machines call "10.0.0.1:40000 > 10.0.0.2:80" is the same, provided that
//   - one of them is at the sending end and the other at the receiving end: a meter reports at which end it saw a
//     socket;
//   - loopback addresses are of one host: nothing is joined through them between hosts;
//   - where ports were reused, the k-th connection of these names at one end is the k-th at the other. That holds
//     only if both ends are known from their beginning and each by one meter; otherwise it cannot be known, and they
//     stay apart.
// The kernel's number of its socket identifies an end that an earlier meter of the same machine has already seen.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/trace_info.hpp"
#include "trace/merge/live_channels.hpp"

namespace dpm {

// The machine whose channel it is.
struct ChannelOrigin {
  std::size_t input = 0;
  bool knows_beginning = true;  // its meter saw all that its processes ever did
};

class StreamNames {
 public:
  StreamNames(const TraceInfo& info, const LiveChannels& channels) : info_(&info), channels_(&channels) {}

  // The channel that this is; none if it is new.
  ChannelId find(const ChannelInfo& described, ChannelOrigin origin);
  // Notes that it is `channel`: others may be joined to it.
  void note(ChannelId channel, const ChannelInfo& described, ChannelOrigin origin);
  // From now on nothing is joined to it.
  void forget(ChannelId channel);

  std::vector<std::string> warnings() const;

 private:
  struct Sight {  // of a socket at one end
    ChannelId channel;
    MachineId machine;
    std::size_t input = 0;
    bool knows_beginning = true;
  };
  struct Connections {  // of one pair of names, in the order of their meters
    std::vector<Sight> sending, receiving;
  };

  std::string key_of(const ChannelInfo& described) const;
  bool is_certain(const std::vector<Sight>& own, const std::vector<Sight>& others, const Sight& now) const;

  struct Keys {  // under which a channel is found
    std::vector<std::string> names, sockets;
  };

  const TraceInfo* info_;
  const LiveChannels* channels_;
  std::unordered_map<std::uint32_t, Keys> keys_;
  std::unordered_map<std::string, Connections> by_names_;
  std::unordered_map<std::string, ChannelId> by_socket_;
  std::uint64_t ambiguous_ = 0;
  std::string ambiguous_example_;
};

}  // namespace dpm
