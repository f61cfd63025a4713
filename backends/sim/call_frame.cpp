#include "backends/sim/call_frame.hpp"

#include <fmt/format.h>

#include "model/link_complaints.hpp"

namespace dpm::sim {

void CallFrame::enter(const char* call, const void* return_address) {
  if (process_.is_gone()) throw StopTask{};
  call_ = call;
  return_address_ = return_address;
  wait_while_stopped();
  settle();
}

void CallFrame::settle() {
  if (process_.owed.ns == 0) return;
  const Duration owed = process_.owed;
  process_.owed = {};
  use_cpu(owed);
}

void CallFrame::use_cpu(Duration work) {
  double speed = process_.machine->speed;
  std::int64_t left_ns = process_.machine->cpu_ns(work);
  while (left_ns > 0) {
    wait_while_stopped();
    Machine* machine = process_.machine;
    if (speed !=
        machine
            ->speed) {  // it has migrated, or its machine's speed is another: the rest of the work takes another time
      left_ns = std::llround(static_cast<double>(left_ns) * speed / machine->speed);
      speed = machine->speed;
      if (left_ns == 0) break;
    }
    process_.computing_ns = left_ns;
    const bool done = process_.actor->execute(machine->host, left_ns);
    if (process_.is_gone()) throw StopTask{};
    simulation_.scheduler().runs(process_);
    const std::int64_t still_left_ns = done ? 0 : process_.actor->left_ns();
    process_.cpu_ns += left_ns - still_left_ns;
    if (!process_.system) machine->used_ns += left_ns - still_left_ns;
    process_.computing_ns = 0;
    process_.last_activity = simulation_.now();
    left_ns = still_left_ns;
  }
  wait_while_stopped();
}

void CallFrame::wait_while_stopped() {
  while (process_.stopped != 0) simulation_.scheduler().sleep(process_);
}

void CallFrame::block(Waiting what_for, std::optional<TrueTime> until) {
  process_.waiting = what_for;
  if (until) simulation_.timers().set(process_, *until);
  simulation_.scheduler().set_runnable(process_, false);
  while (process_.waiting != Waiting::for_nothing || process_.stopped != 0) simulation_.scheduler().sleep(process_);
}

void CallFrame::misuse(const std::string& what) const {
  throw Misuse{fmt::format("process '{}' on machine '{}', {}: {}", process_.name, process_.machine->name, call_, what)};
}

const Link& CallFrame::link_at(LinkIndex index) const {
  const Link* link = process_.links.find(index);
  if (link == nullptr) misuse(complaints::no_link_at(index));
  return *link;
}

}  // namespace dpm::sim
