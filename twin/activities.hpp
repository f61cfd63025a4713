// What a process does, cut into activities: one for its start, and one for every message it was ready to take from
// anybody. Receives within an activity are waits.
//
//   R(ask) S(query) w(rows) S(answer) | R(ask) S(answer) | R(ask) ...        R open, w a wait, | where it is cut
//
// A receive is a wait if everything received of that kind from there was caused by what the process had just sent, and
// the process waited for it alone, where RECEIVECALL says so. A process that speaks first and of which this is true of
// every receive has one activity: its start, all its life.
//
// Messages belong to requests as in programs of a scenario file (scenarios/behaviour): what is sent from a start begins
// a request, what is sent while handling a message belongs to that message's.
#pragma once

#include <set>
#include <string>
#include <tuple>

#include "twin/groups.hpp"
#include "twin/recording.hpp"

namespace dpm::twin {

inline constexpr std::uint32_t kBytesForRequest = 16;  // a shorter message cannot say which request it belongs to

// Kinds of messages. A code says what kind a message is; where sizes make a difference to what the receiver does, code
// and size say it.
inline constexpr std::uint32_t code_of(Passes what) { return 4294967200u + static_cast<std::uint32_t>(what); }

class Kinds {
 public:
  Kinds(const Recording& recording, const Groups& groups);

  std::string of(std::uint32_t sender, std::uint32_t receiver, const Op& op) const;
  // From now on messages of this code from this group to that one are told apart by size.
  void tell_by_size(std::uint32_t from_group, std::uint32_t to_group, std::uint32_t code);
  bool has_codes() const { return has_codes_; }

 private:
  const Groups& groups_;
  bool has_codes_ = false;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> by_size_;
};

struct Activity {
  std::uint32_t trigger = kNone;     // op number; kNone: the start
  std::uint32_t begin = 0, end = 0;  // ops after the trigger
  std::uint64_t tail_cpu_ns = 0;     // after its last op
  bool stops = false;                // the process ended with it
};

// What is known of the receiver of a SEND, from the side of its sender.
struct Destination {
  bool is_sender = false;     // it sent the message being handled
  bool is_requester = false;  // of its group, it last sent a message of this request, and not as an answer
};

struct Conduct {
  std::vector<bool> waits;                // by op: a receive that is a wait
  std::vector<bool> waits_for_several;    // by op: a wait in a start that several groups could have ended
  std::vector<Activity> activities;       // the start first, even if it is empty
  std::vector<Destination> destinations;  // by op
  bool only_start = false;
};

struct Conducts {
  std::vector<Conduct> of;  // by process number
  std::uint64_t requests = 0;
  bool short_messages_matter = false;  // requests can be followed only if messages of less than 16 bytes carry them too
};

// `recording` is of whole lives; kinds decide which receives are alike.
Conducts understand(const Recording& recording, const Groups& groups, const Kinds& kinds);

// The groups from which a process may have taken a message, given the channels it waited on; empty: anybody.
std::set<std::uint32_t> groups_waited_for(const Recording& recording, const Groups& groups, std::uint32_t process,
                                          const Op& receive);

}  // namespace dpm::twin
