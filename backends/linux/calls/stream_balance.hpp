// How much has been received from a stream that has no offsets and whose calls no counter counts: a UNIX stream used by
// send(), recv() and similar calls. More data may come between the supervisor's look at the socket and the kernel's
// receive, so what a receive took is known only by what is missing afterwards:
//
//     sent  -  waiting  =  received
//
// A send is counted when it is asked for, and carried out a little later: until its thread is seen in another call, its
// bytes may or may not have been sent. They certainly were when the stream shows more than all other sends can explain,
// or when the thread is seen to be out of the call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace dpm {

class StreamBalance {
 public:
  struct Send {
    std::uint32_t tid = 0;
    std::uint64_t call_number = 0, bytes = 0;
    std::int32_t first_argument = -1;  // of its call; -1: not known
    std::int64_t since_ns = 0;
    std::int64_t look_at_ns = 0;  // to see whether it is over; not earlier
  };
  // What a look shows.
  struct Sight {
    std::uint64_t sent = 0;      // by all sends together, once the last of them is carried out
    std::uint64_t received = 0;  // by all receives together, if none took more than was seen before it
    std::uint64_t waiting = 0;
    bool ended = false;       // nothing can be sent any more
    std::uint64_t asked = 0;  // by further sends, for which counters will tell how much they moved
  };
  struct Received {
    std::uint64_t bytes = 0;  // at least
    bool certain = false;     // exactly
  };

  // `moves_all`: the send moves all its bytes, or the stream is over. A send that may move a part leaves the balance
  // open.
  void add(const Send& send, bool moves_all) {
    sends_.push_back(send);
    is_open_ |= !moves_all;
  }
  // A send did not move what it asked for.
  void give_up() { is_open_ = true; }
  template <typename IsOver>
  void forget(IsOver&& is_over) {
    std::erase_if(sends_, is_over);
  }
  // Asks about the sends that may be under way, and forgets those that are over; false if there was none. Asking costs
  // some microseconds, so the pauses between questions about one send become longer.
  template <typename IsOver>
  bool forget_finished(std::int64_t now_ns, IsOver&& is_over) {
    std::vector<Send> left;
    for (Send& send : sends_) {
      const bool is_asked = now_ns >= send.look_at_ns;
      if (is_asked && is_over(send)) continue;
      if (is_asked) send.look_at_ns = now_ns + std::min(now_ns - send.since_ns, kLooksApartMaxNs);
      left.push_back(send);
    }
    const bool some = left.size() < sends_.size();
    sends_ = std::move(left);
    return some;
  }

  // Nothing if it will not be known any more.
  std::optional<Received> received(const Sight& sight);

 private:
  static constexpr std::int64_t kLooksApartMaxNs = 10'000'000;

  std::vector<Send> sends_;  // at most one of each thread that still lives
  bool is_open_ = false;
  std::uint64_t received_ = 0;  // at least
};

}  // namespace dpm
