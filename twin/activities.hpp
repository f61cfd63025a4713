// What a process does, cut into activities: one for its start, and one for every message it was ready to take from any
// process. Receives within an activity are waits.
//
//   R(ask) S(query) w(rows) S(answer) | R(ask) S(answer) | R(ask) ...        R open, w a wait, | where it is cut
//
// A receive is a wait if everything of that kind received from that group was caused by what the process had just sent,
// and the process waited for it alone, where RECEIVECALL shows it. A process that speaks first and whose receives are
// all waits has one activity: its start, which is all it does.
//
// Messages belong to requests as in programs of a scenario file (scenarios/behaviour): a message sent from a start
// begins a request, a message sent while handling another belongs to the request of that one.
#pragma once

#include <set>
#include <string>
#include <tuple>

#include "twin/groups.hpp"
#include "twin/recording.hpp"

namespace dpm::twin {

inline constexpr std::uint32_t kBytesForRequest = 16;  // a shorter message cannot carry the request it belongs to

// Kinds of messages. A code gives a message's kind; where sizes decide what the receiver does, code and size give it.
inline constexpr std::uint32_t code_of(Passes what) { return 4294967200u + static_cast<std::uint32_t>(what); }

class Kinds {
 public:
  Kinds(const Recording& recording, const Groups& groups);

  std::string of(std::uint32_t sender, std::uint32_t receiver, const Operation& operation) const;
  // From now on messages of this code from this group to that one are told apart by size.
  void tell_by_size(std::uint32_t from_group, std::uint32_t to_group, std::uint32_t code);
  bool has_codes() const { return has_codes_; }

 private:
  const Groups& groups_;
  bool has_codes_ = false;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> by_size_;
};

struct Activity {
  std::uint32_t trigger = kNone;     // operation number; kNone: the start
  std::uint32_t begin = 0, end = 0;  // operations after the trigger
  std::uint64_t tail_cpu_ns = 0;     // after its last operation
  IdleBefore tail_idle = {};
  bool stops = false;  // the process ended with it
};

// What is known of the receiver of a SEND from its sender's operations.
struct Destination {
  bool is_sender = false;     // it sent the message being handled
  bool is_requester = false;  // of its group, the last that sent a message of this request which was not an answer
};

struct ProcessBehaviour {
  std::vector<bool> waits;                // by operation: a receive that is a wait
  std::vector<bool> waits_for_several;    // by operation: a wait in a start that several groups could have ended
  std::vector<Activity> activities;       // the start first, even if it is empty
  std::vector<Destination> destinations;  // by operation
  bool only_start = false;
};

struct Behaviours {
  std::vector<ProcessBehaviour> of;  // by process number
  std::uint64_t requests = 0;
  bool short_messages_matter = false;  // requests can be followed only if messages shorter than 16 bytes carry them too
};

// `recording` has all operations of each process; `kinds` decide which receives are alike.
Behaviours infer_behaviour(const Recording& recording, const Groups& groups, const Kinds& kinds);

// The groups that a process may have taken a message from, given the channels it waited on; empty: any.
std::set<std::uint32_t> groups_waited_for(const Recording& recording, const Groups& groups, std::uint32_t process,
                                          const Operation& receive);

}  // namespace dpm::twin
