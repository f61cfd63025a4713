// Traces as they might have been if processes drew random numbers, counted or cached as they went along, instead of
// reacting to each message alone (interval.hpp).
//
// If a process takes its messages in another order than in the trace, or one that counts them gets the k-th from another, or the workers of a dispatcher do other tasks, then
// in an alternative, from where the orders diverge,
//   - the segments (the work after a RECEIVE up to the next) cost what other segments of their kind cost: as long, begun
//     over the same channels, by a message of that size and sender; drawn with replacement. So are the sizes of the
//     messages they send;
//   - the receivers of the messages that were passed on are shuffled, unless the trace shows how they were chosen
//     (destination_rules.hpp); the pieces of work go with the messages.
// In those with what messages do not show (hidden_state.hpp), in addition,
//   - a process that does not always react alike to requests of one kind reacts to each as it did to another that came about
//     then: its reactions keep their order, the requests come in that of the prediction, and the answers go to their clients;
//   - in half of them calls do not wait for their timeouts: the answer may come in time there.
// Where processes are moved to machines of other speed, CPU times are not known better than to a nanosecond, which
// decides between messages that come at one instant.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/behaviour/hidden_state.hpp"
#include "analysis/behaviour/requests.hpp"
#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"
#include "model/random.hpp"

namespace dpm {

class Alternatives {
 public:
  // `schedule` is that of the prediction, and outlives this. `rounded`: CPU times are, too.
  Alternatives(const History& history, const Roles& roles, const DestinationChoices& choices, const HiddenState& hidden,
               const Schedule& schedule, bool rounded);

  // Every draw without what messages do not show is the trace.
  bool none() const { return replaceable_.empty() && shuffled_from_.empty() && !rounded_; }
  // Whether a process takes its messages in another order than in the trace.
  bool parts() const { return parts_; }
  // Whether draws with what messages do not show differ from those without.
  bool has_hidden() const { return !exchangeable_.empty() || roles_.timers != nullptr; }
  struct Alternative {
    History history;  // with other CPU times
    Roles roles;      // with other receivers
  };
  // `places_off`: also of what messages do not show, with requests up to that many places from where they are in the
  // prediction; 0: without.
  Alternative draw(Random& random, std::size_t places_off) const;

  // Whether receivers are shuffled; the roles of a draw in which they are and stay the same, which must be the prediction; and
  // what follows if it is not.
  bool shuffles_receivers() const { return !shuffled_from_.empty(); }
  Roles with_receivers_of_trace() const;
  void keep_receivers() { shuffled_from_.clear(); }

 private:
  // A RECEIVE and what follows up to the next; the CPU time before the next one waits belongs to the segment, too.
  struct Segment {
    std::uint32_t first = 0, last = 0;  // events whose CPU time is the segment's
  };
  struct Kind {
    std::uint32_t process = 0, channel_set = 0, events = 0;
    std::uint32_t bytes = 0;  // of the message
    std::string sender;       // its program
    auto operator<=>(const Kind&) const = default;
  };
  // Requests of one kind, and the place of each among them in the prediction.
  struct Exchangeable {
    std::vector<Request> requests;
    std::vector<std::size_t> place;
  };

  Segment segment_of(std::uint32_t process, std::uint32_t receive) const;
  std::uint32_t first_parting(std::uint32_t process) const;
  bool takes_as_traced(std::uint32_t process, std::uint32_t receive) const;
  void add_segments(const std::vector<std::uint32_t>& processes);
  void add_choices();
  Kind kind_of(std::uint32_t process, const Segment& segment) const;
  bool are_alike(const std::vector<Segment>& segments) const;
  void replace(History& other, const Segment& to, const Segment& from) const;
  void add_exchangeable(std::uint32_t process);
  void exchange(History& other, const Request& position, const Request& identity) const;
  void draw_requests(Random& random, std::size_t places_off, History& other) const;
  void draw_costs(Random& random, History& other) const;
  void round_costs(Random& random, History& other) const;
  void draw_receivers(const std::function<std::size_t(std::size_t below)>& draw, Roles& roles) const;

  const History& history_;
  const Roles& roles_;
  const DestinationChoices& choices_;
  const bool rounded_;
  const std::vector<std::uint32_t>& cause_;   // Schedule::cause
  std::set<std::uint32_t> answers_together_;  // processes with full batches
  bool parts_ = false;
  std::vector<std::vector<std::uint32_t>> performed_;  // by process: RECEIVEs in the order of the prediction
  std::vector<std::vector<Segment>> replaceable_;      // by each other, in each of these
  std::vector<Exchangeable> exchangeable_;
  std::map<std::size_t, std::size_t>
      shuffled_from_;  // by index of an unknown choice: its first SEND that may be another
};

}  // namespace dpm
