// Timeouts: a process that waits for an answer in vain, each time for the same time, and then asks again.
//
//   SEND(ask) RECEIVECALL --0.5 s-- SEND(ask) RECEIVECALL --0.5 s-- SEND(ask) RECEIVECALL -- RECEIVE(answer)
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "twin/activities.hpp"

namespace dpm::twin {

// A live trace shows only waits that took something. So in one a time without CPU time between a SEND and the same again is a
// wait in vain, if the process mostly goes on with an answer instead: it is marked as one.
void mark_unseen_waits(Recording& recording, const Groups& groups, const Kinds& kinds);

class Timeouts {
 public:
  Timeouts(const Recording& recording, const Groups& groups, const Kinds& kinds);

  // Whether the process's operation of this number repeats the SEND before it, to the same group, after a receive in vain.
  bool sends_again(std::uint32_t process, std::uint32_t operation) const;
  // Whether it always does so after the same time, with messages of this kind to this group.
  bool is_constant(std::uint32_t process, const std::string& kind, std::uint32_t group) const;

 private:
  const Recording& recording_;
  const Groups& groups_;
  const Kinds& kinds_;
  std::map<std::tuple<std::uint32_t, std::string, std::uint32_t>, bool> constant_;  // by process, kind, receivers
};

}  // namespace dpm::twin
