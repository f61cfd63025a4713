// What became of the datagrams that were sent to one receiver's name:
//
//     sent  =  received  +  dropped  +  waiting
//
// The meter records what was sent and received. At each look (SO_MEMINFO) the kernel tells what the sockets dropped,
// and whether something waits in them. A difference is a missing record, or a surplus one.
//
// Some sends are uncertain, because nothing tells whether a socket existed to receive them: early sends, made before
// the first look at the receiver, and late sends, made after the last look or under way during it. A datagram that was
// not received is not checkable if it may be one of these, or may have waited when the last socket was closed.
//
// `received` counts datagrams of recorded senders. As long as other programs send as well, the dropped datagrams may be
// theirs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/ids.hpp"

namespace dpm {

class DatagramAccount {
 public:
  // A thread, as long as it lives.
  struct User {
    ProcessId id;
    std::uint32_t tid = 0;
  };
  struct Send {
    User by;
    std::uint64_t call_number = 0;
    ChannelId channel;
  };
  // One look at a socket.
  struct Sight {
    User by;
    std::uint64_t socket = 0;
    std::uint32_t dropped = 0;        // since the socket was created
    std::uint32_t waiting_bytes = 0;  // with the kernel's overhead
    bool is_connected = false;        // it takes datagrams of one sender only
    bool is_older = false;            // than our metering
  };
  struct Verdict {
    std::uint64_t checked = 0;    // datagrams, sent or received
    std::uint64_t unchecked = 0;  // not checkable
    std::uint64_t lost = 0;       // missing RECEIVEs, or surplus SENDs
    std::uint64_t surplus = 0;    // missing SENDs, or surplus RECEIVEs
    ChannelId channel;            // on which the difference is most probable
    User by;                      // the last user of that end
  };

  // The send was asked for; it is made a little later.
  void sent(const Send& send);
  void received(ChannelId channel);
  void received_from_outside() { ++from_outside_; }
  // `is_over`: whether a send that was asked for has been carried out.
  template <typename IsOver>
  void look(const Sight& sight, IsOver&& is_over);
  // Sends passed the meter unseen, or flows were forgotten: nothing is checked any more.
  void give_up() { is_known_ = false; }

  bool is_empty() const { return open_.empty() && sent_ + received_ + from_outside_ == 0; }
  bool holds(std::uint64_t socket) const { return open_.contains(socket); }
  // The socket is closed. When the last one is, returns what became of all datagrams, and begins a new account with the
  // late sends. `unread_bytes`: what waited in the socket then, if that is known.
  std::optional<Verdict> close(std::uint64_t socket, std::optional<std::uint32_t> unread_bytes);
  // Metering ends.
  Verdict verdict() const { return judge(waiting_bytes(), sent_); }

  void merge(DatagramAccount&& other);

 private:
  struct Seen {
    std::uint32_t dropped_before = 0, dropped = 0, waiting_bytes = 0;
  };
  std::uint64_t dropped() const;
  std::uint64_t waiting_bytes() const;
  Verdict judge(std::uint64_t waiting_bytes, std::uint64_t sent) const;
  ChannelId most_different(bool lost) const;
  void add_difference(ChannelId channel, std::int64_t difference);

  bool is_known_ = true, looked_ = false, several_channels_ = false, takes_from_one_ = false;
  std::uint64_t sent_ = 0, received_ = 0, from_outside_ = 0;
  std::uint64_t early_ = 0, late_ = 0;
  std::uint64_t dropped_by_closed_ = 0;
  std::optional<ChannelId> channel_;
  User sender_, receiver_;
  std::vector<Send> under_way_;                       // sends since the last look, and those that were not over then
  std::unordered_map<std::uint64_t, Seen> open_;      // by socket
  std::map<std::uint32_t, std::int64_t> difference_;  // sent less received, by channel, where it is not 0
};

template <typename IsOver>
void DatagramAccount::look(const Sight& sight, IsOver&& is_over) {
  if (!looked_) early_ = sent_;
  std::erase_if(under_way_, is_over);
  late_ = under_way_.size();
  const auto [at, is_first] = open_.try_emplace(sight.socket);
  Seen& seen = at->second;
  // An old socket may have dropped, and hold, what was sent before we were there.
  const std::uint64_t rest = sent_ > received_ ? sent_ - received_ : 0;
  if (is_first && (sight.is_older || sight.dropped > rest)) seen.dropped_before = sight.dropped;
  if (is_first && sight.is_older && sight.waiting_bytes > 0) is_known_ = false;
  seen.dropped = sight.dropped;
  seen.waiting_bytes = sight.waiting_bytes;
  takes_from_one_ |= sight.is_connected;
  receiver_ = sight.by;
  looked_ = true;
}

}  // namespace dpm
