// What no rule may contradict: an answer is not sent before its request.
//
// Where a process writes to another and hears from it in strict alternation, as a client calls a server, each message that it gets
// is the answer to the one before. The trace proves it, whatever the rules say of the server. From these pairs follow
//   - whether a schedule has an answer before its request: then the rules that led to it are wrong
//   - a time that no schedule can beat: the process's own work, and between a request and its answer the two delays at least
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"
#include "analysis/history/target.hpp"

namespace dpm {

class CausalityCheck {
 public:
  explicit CausalityCheck(const History& history);

  // The processes that answer before they are asked, in order. Not those that have roles: who gets which task depends on the order.
  std::vector<std::uint32_t> early_answers(const Schedule& schedule, const Roles& roles) const;
  // No schedule in which each process performs its events in the order of this one is shorter. Processes that perform events of others,
  // or give up calls, are left out.
  double shortest_ns(const Target& target, const Schedule& schedule) const;

 private:
  struct Call {
    std::uint32_t server = 0;
    std::uint32_t request = 0, answer = 0;  // SENDs
  };
  bool is_asked_and_answered(const Call& call, const Schedule& schedule) const;
  const Call* call_of(std::uint32_t client, std::uint32_t request) const;

  const History& history_;
  std::vector<std::vector<Call>> calls_;  // by client, in the order of their requests
};

}  // namespace dpm
