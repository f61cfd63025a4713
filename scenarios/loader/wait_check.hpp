// Refuses waits that could never be over: without a timeout, and for kinds that no process sends to this one.
//
// Programs written in C++ are not looked into: where a scenario has one, nothing is refused. The waits of a group are those of
// its first member. A reply may come late, after its call was given up, and counts as sent to every process.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scenarios/loader/wiring.hpp"

namespace dpm {

class WaitCheck {
 public:
  WaitCheck(const Scenario& scenario, const ProcessEntries& processes, Problems& problems)
      : scenario_(scenario), processes_(processes), problems_(problems) {}

  void check();

 private:
  // The senders and receivers of messages of one kind, by entry.
  struct Routes {
    std::string kind;
    std::set<std::pair<std::size_t, std::size_t>> from_to;
    std::set<std::size_t> to;  // of from_to
    std::set<std::size_t> from_to_anyone;
  };

  void collect_routes();
  void check_waits(std::size_t entry, const Steps& steps);
  bool may_come(const Routes& routes, std::size_t receiver, const ProcessNames& from);
  bool may_come(const KindName& kind, std::size_t receiver, const ProcessNames& from);
  std::vector<std::string> kinds_for(std::size_t receiver, const ProcessNames& from);
  const std::set<std::size_t>& entries_of(const ProcessNames& names);

  const Scenario& scenario_;
  const ProcessEntries& processes_;
  Problems& problems_;
  std::unordered_map<std::uint32_t, Routes> routes_;  // by kind
  std::unordered_map<ProcessNames, std::set<std::size_t>> entries_;
};

}  // namespace dpm
