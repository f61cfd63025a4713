// Which messages a process of a replay waits for where it stands: those of the channels that it named in the trace,
// which follow from the message it handled last, unless something else decides:
//
//   limit   how much it has in progress (intake_limit.hpp)
//   task    a worker waits for its dispatcher, and a process among which others choose for what they give out, whichever
//           process's history it performs: the channels named there are that process's
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history/arrived_messages.hpp"
#include "analysis/history/channel_sets.hpp"
#include "analysis/history/intake_limit.hpp"
#include "analysis/history/replay.hpp"
#include "analysis/history/replica_choice.hpp"

namespace dpm {

// Where a process is in its replay.
struct Standing {
  std::uint32_t cursor = 0;      // the event being performed
  std::uint32_t source = 0;      // whose history the cursor is in: its own, except for work that is given to another
  std::int64_t in_progress = 0;  // with an IntakeLimit: received and not yet answered
  bool takes_any = false;        // forced: ignore the channel set this time
};

class WantedMessages {
 public:
  WantedMessages(const History& history, const Roles& roles, const Destinations& destinations,
                 const ReplicaChoice& replicas);

  // Whether processes have roles in the order of this run.
  void begin(bool with_roles) { with_roles_ = with_roles; }

  bool takes_any(std::uint32_t p, const Standing& at) const;
  bool includes(std::uint32_t p, const Standing& at, const ArrivingMessage& message) const;
  // A RECEIVE from outside, whose channel is not in the graph, but the set that was waited for when it came.
  bool includes_outside(std::uint32_t p, const Standing& at, std::uint32_t receive) const;
  // What `p` has in progress after a message.
  void received(std::uint32_t p, Standing& at, std::uint32_t sender) const;
  void sent(std::uint32_t p, Standing& at, std::uint32_t receiver) const;

 private:
  bool is_limited(std::uint32_t p, const Standing& at) const;
  bool is_full(std::uint32_t p, const Standing& at) const;
  bool waits_for_task(std::uint32_t p, const Standing& at) const;
  bool begins_piece(std::uint32_t receive) const { return with_roles_ && destinations_.begins_piece(receive); }
  std::uint32_t set_at(const Standing& at) const { return history_.events[at.cursor].channel; }

  const History& history_;
  const Roles& roles_;
  const Destinations& destinations_;
  const ChannelSets sets_;
  std::vector<IntakeLimit> limits_;  // by process
  bool with_roles_ = false;
};

}  // namespace dpm
