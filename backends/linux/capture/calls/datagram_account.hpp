// What became of the datagrams that were sent to one receiver's name:
//
//     sent  =  received  +  dropped  +  waiting
//
// Sent and received are recorded; what its sockets dropped, and whether something waits in them, the kernel tells at
// each look (SO_MEMINFO). A difference is a record that is missing, or one too many.
//
// Some sends are uncertain, because nothing tells whether a socket was there for them: early ones, made before the
// receiver was first looked at, and late ones, made after it was last looked at or under way then. Datagrams that were
// not received and may be among these, or may have waited when the last socket was closed, are not checkable.
//
// Received are those of senders whose sends are recorded. As long as others send as well, what was dropped may be
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
    std::uint32_t dropped = 0;        // since it was made
    std::uint32_t waiting_bytes = 0;  // with what the kernel needs to keep them
    bool is_connected = false;        // it takes datagrams of one sender only
    bool is_older = false;            // than our metering
  };
  struct Verdict {
    std::uint64_t checked = 0;    // datagrams, sent or received
    std::uint64_t unchecked = 0;  // of them nothing is known
    std::uint64_t lost = 0;       // RECEIVEs that are missing, or SENDs too many
    std::uint64_t surplus = 0;    // SENDs that are missing, or RECEIVEs too many
    ChannelId channel;            // on which that is most probable
    User by;                      // who used that end last
  };

  // It is asked to be made.
  void sent(const Send& send);
  void received(ChannelId channel);
  void received_from_outside() { ++from_outside_; }
  // `is_over`: whether a send that was asked for has been made.
  template <typename IsOver>
  void look(const Sight& sight, IsOver&& is_over);
  // Sends passed us, or flows were forgotten: nothing is checked any more.
  void give_up() { is_known_ = false; }

  bool is_empty() const { return open_.empty() && sent_ + received_ + from_outside_ == 0; }
  bool holds(std::uint64_t socket) const { return open_.contains(socket); }
  // The socket is closed. Of the last one: what became of all, and the account begins again with the late sends.
  // `unread_bytes`: what waited in it then, if that is known.
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
