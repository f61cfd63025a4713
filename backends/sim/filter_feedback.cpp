#include "backends/sim/filter_feedback.hpp"

#include "backends/sim/simulation.hpp"

namespace dpm::sim {

void FilterFeedback::add(std::span<const Event> events) {
  const auto& feedback = simulation_.scenario().feedback;
  if (!feedback) return;
  events_.insert(events_.end(), events.begin(), events.end());
  const TrueTime now = simulation_.now();
  if (sent_at_ && now - *sent_at_ < feedback->every) return;
  Process& scheduler = *simulation_.population().find_process(feedback->process);
  if (scheduler.is_gone()) return;
  sent_at_ = now;
  std::vector<MachineNow> machines;
  for (const Machine& machine : simulation_.population().machines()) machines.push_back({machine.speed, machine.on});
  std::uint64_t lost = 0;
  for (const Loss& loss : simulation_.meter().losses()) lost += loss.events;
  OutgoingMessage message;
  message.data = feedback->reduce({simulation_.names().info(), events_, machines, lost});
  events_.clear();
  calls_.send_message(calls_.link_to_process(scheduler), message);
}

}  // namespace dpm::sim
