// Destinations that a process chooses in turn: a balancer's next request goes to the next back end, whatever request it
// is. In a replay in another order the turn stays with the process, and the work with the message:
//
//   trace    requests  a b c d  go to   1 2 1 2
//   replay   requests  b a c d  go to   1 2 1 2     so b, which 2 worked on in the trace, is now the work of 1
//
// The member that gets a request performs the piece of work (server_work.hpp) that the request began in the trace, also
// if another did it there. Where members need different times for the same requests, it takes as long as its own.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm {

struct RoundRobin {
  std::uint32_t process = 0;           // that chooses
  std::uint32_t choice = 0;            // processes of one program number their choices alike
  std::vector<std::uint32_t> members;  // in the order of their turns; after the last the first again
  std::vector<std::uint32_t> sends;    // the SENDs that went to them, in order
  bool in_turn = true;  // false: `members` are as many as `sends`, in an order that the trace does not explain
};

// What the members of all rounds need for a piece of work, relative to each other.
class MemberWork {
 public:
  // Notes a piece: CPU time on a machine of speed 1.
  void note(std::uint32_t choice, std::uint32_t request_bytes, std::uint32_t member, double work_ns);

  // How many times as long `member` needs as `other` for such a request. 1 where the trace does not show a difference.
  double factor(std::uint32_t choice, std::uint32_t request_bytes, std::uint32_t member, std::uint32_t other) const;

 private:
  struct Pieces {
    double count = 0, sum_ns = 0, squares = 0;
    double mean_ns() const { return sum_ns / count; }
    double error_ns() const;  // of the mean: its standard error
  };
  struct Key {
    std::uint32_t choice, bytes, member;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, Pieces> pieces_;
};

// All rounds of a trace, and the pieces of work that they give out.
struct RoundRobins {
  std::vector<RoundRobin> rounds;
  // By event: for a later RECEIVE of a piece, the RECEIVE that began it; kNoEvent for others. Empty without rounds.
  std::vector<std::uint32_t> piece_of;
  MemberWork work;

  bool empty() const { return rounds.empty(); }
};

// Whose turn it is, during a replay.
class Turns {
 public:
  Turns(const History& history, const RoundRobins& round_robins);

  bool empty() const { return rounds_.empty(); }
  void begin();

  static constexpr std::uint32_t kNone = 0xffffffffu;
  // The receiver if process `p` performs this SEND now; kNone if it does not choose in turn there.
  std::uint32_t receiver_of(std::uint32_t p, std::uint32_t send) const;
  void sent(std::uint32_t p, std::uint32_t send);

  // Whether this RECEIVE takes what was sent in turn.
  bool begins_piece(std::uint32_t receive) const {
    const std::uint32_t send = history_.events[receive].match;
    return !empty() && send != kNoEvent && choice_of_[send] != kNone;
  }
  // How many times as long `p` needs for the piece of `source` that began with this RECEIVE.
  double work_factor(std::uint32_t piece, std::uint32_t source, std::uint32_t p) const;

 private:
  struct Round {
    std::uint32_t choice = 0;
    std::vector<std::uint32_t> members;
    std::size_t at = 0;
  };
  std::size_t round_of(std::uint32_t p, std::uint32_t send) const;  // index into rounds_[p]; its size: none

  const History& history_;
  const MemberWork& work_;
  std::vector<std::vector<Round>> rounds_;  // by process; empty: there are none
  std::vector<std::uint32_t> choice_of_;    // by event: kNone for most
};

}  // namespace dpm
