// Destinations that a process chooses by what it remembers, and not by the message:
//
//   in turn             a balancer's next request goes to the next back end
//   least outstanding   it goes to the one that owes the balancer the fewest answers
//
// In a replay in another order the choice stays with the process, and the work with the message:
//
//   trace    requests  a b c d  go to   1 2 1 2
//   replay   requests  b a c d  go to   1 2 1 2     so b, which 2 worked on in the trace, is now the work of 1
//
// The member that gets a request performs the piece of work (server_work.hpp) that the request began in the trace, also
// if another did it there. Where members need different times for the same requests, it takes as long as its own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm {

struct DestinationChoice {
  enum class Rule : std::uint8_t {
    in_turn,            // `members` in the order of their turns; after the last the first again
    least_outstanding,  // of `members`; of several alike, the next one in their order
    unknown,            // `members` are as many as `sends`, in an order that the trace does not explain
  };
  std::uint32_t process = 0;  // that chooses
  std::uint32_t number = 0;   // processes of one program number their choices alike
  Rule rule = Rule::in_turn;
  std::vector<std::uint32_t> members;
  std::vector<std::uint32_t> sends;  // the SENDs that went to them, in order
};

// How many messages a process has sent to others that they have not answered: any message from them answers one.
class OutstandingMessages {
 public:
  void sent_to(std::uint32_t process) { ++counts_[process]; }
  void answered_by(std::uint32_t process);
  std::uint32_t of(std::uint32_t process) const;
  // The index of the member with the fewest; of several alike, the first from `first` on, around.
  std::size_t least(const std::vector<std::uint32_t>& members, std::size_t first) const;

 private:
  std::map<std::uint32_t, std::uint32_t> counts_;
};

// What members need for a piece of work, relative to each other.
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

// Choices of a trace, and the pieces of work that they give out.
struct DestinationChoices {
  std::vector<DestinationChoice> choices;
  // By event: for a later RECEIVE of a piece, the RECEIVE that began it; kNoEvent for others. Empty without choices.
  std::vector<std::uint32_t> piece_of;
  MemberWork work;

  bool empty() const { return choices.empty(); }
};

// Which process gets which message, during a replay.
class Destinations {
 public:
  Destinations(const History& history, const DestinationChoices& choices);

  bool empty() const { return of_process_.empty(); }
  void begin();

  static constexpr std::uint32_t kNone = 0xffffffffu;
  // The receiver if process `p` performs this SEND now; kNone if no choice is made there.
  std::uint32_t receiver_of(std::uint32_t p, std::uint32_t send) const;
  void sent(std::uint32_t p, std::uint32_t send, std::uint32_t receiver);
  void received(std::uint32_t p, std::uint32_t sender);

  // Whether this RECEIVE takes what was given out by a choice.
  bool begins_piece(std::uint32_t receive) const {
    const std::uint32_t send = history_.events[receive].match;
    return !empty() && send != kNoEvent && choice_of_[send] != kNone;
  }
  // How many times as long `p` needs for the piece of `source` that began with this RECEIVE.
  double work_factor(std::uint32_t piece, std::uint32_t source, std::uint32_t p) const;

 private:
  struct Choice {
    std::uint32_t number = 0;
    DestinationChoice::Rule rule = DestinationChoice::Rule::in_turn;
    std::vector<std::uint32_t> members;
    std::size_t at = 0;
  };
  struct Chooser {
    std::vector<Choice> choices;
    std::optional<OutstandingMessages> outstanding;  // where a choice needs them
  };
  // Index of the choice that `p` makes at this SEND; as many as it has: none.
  std::size_t choice_at(std::uint32_t p, std::uint32_t send) const;
  std::size_t next(const Chooser& chooser, const Choice& choice) const;

  const History& history_;
  const MemberWork& work_;
  std::vector<Chooser> of_process_;       // empty: there are no choices
  std::vector<std::uint32_t> choice_of_;  // by event: kNone for most
};

}  // namespace dpm
