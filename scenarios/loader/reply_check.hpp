// Refuses replies that can never be given, and messages to itself that are never sent.
//
// A reply answers a call. A message that was sent or forwarded has no reply link: only the process that was called can
// reply. A `reply` step is refused where no call can be open:
//
//   - no process calls this one, or
//   - the handler is for kinds that no process calls it with, and each handler of a kind that it is called with replies to
//     it before it ends.
//
// What else may go wrong depends on the run, and ends it with an error.
#pragma once

#include <set>
#include <vector>

#include "scenarios/loader/wiring.hpp"

namespace dpm {

class ReplyCheck {
 public:
  ReplyCheck(const Scenario& scenario, const ProcessEntries& processes, Problems& problems);

  void check();

 private:
  // The kinds with which a process is called; any, if a program written in C++ may call it.
  struct Calls {
    std::set<std::uint32_t> codes;
    bool any = false;

    bool is_empty() const { return codes.empty() && !any; }
    bool includes_one_of(const KindNames& kinds) const;
  };

  void collect_calls();
  void check_replies(const ProcessEntry& entry, const Calls& calls);
  static bool may_leave_a_call_open(const InFileProgram& program, const Calls& calls);
  void check_messages_to_itself(const ProcessEntry& entry);

  const Scenario& scenario_;
  const ProcessEntries& processes_;
  Problems& problems_;
  std::vector<Calls> calls_;  // by entry
};

}  // namespace dpm
