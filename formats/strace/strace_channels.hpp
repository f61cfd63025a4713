// The channels of a strace log: each is one direction of a connection, or a pipe.
//
// With -yy the log names both ends of a connection, and equal names are one direction, until the log shows that a connection with the same
// name begins again. Without it, directions are told apart by the calls that made them.
//
// A UNIX socket has no peer's number until its connection is accepted, and may have sent before. So with -yy its directions are known by
// the number of the sender alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/trace_info.hpp"

namespace dpm {

using StraceDirectionId = std::uint32_t;
inline constexpr StraceDirectionId kNoDirection = UINT32_MAX;

struct StraceDirection {
  ChannelMedium medium = ChannelMedium::unknown;
  bool is_datagram = false;
  std::string from, to;                  // the ends as far as they are known
  ChannelId id;                          // none: nothing was sent or received
  std::uint64_t sent = 0, received = 0;  // bytes of a stream, messages of datagrams
};

class StraceChannels {
 public:
  explicit StraceChannels(TraceInfo& info) : info_(info) {}

  // That of these names.
  StraceDirectionId named(ChannelMedium medium, bool is_datagram, std::string_view from, std::string_view to);
  bool is_known(ChannelMedium medium, std::string_view from, std::string_view to) const;
  // From now on the names mean this one.
  void name(StraceDirectionId direction, std::string_view from, std::string_view to);
  // One that no name leads to.
  StraceDirectionId add(ChannelMedium medium, bool is_datagram, std::string from, std::string to);

  StraceDirection& operator[](StraceDirectionId id) { return directions_[id]; }

  // A connection or a pipe of this name begins: what was received under it was of another.
  void begins(StraceDirectionId direction);
  // The other end may have been used before this end was accepted; what it sent is still to be received.
  void begins_unless_unread(StraceDirectionId direction);

  // The channel of a message.
  StraceDirection& used(StraceDirectionId direction, bool sends);

  // The log has been read: channels get the names that became known late.
  void settle();

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  TraceInfo& info_;
  std::vector<StraceDirection> directions_;
  std::unordered_map<std::string, StraceDirectionId, Hash, std::equal_to<>> by_key_;
};

}  // namespace dpm
