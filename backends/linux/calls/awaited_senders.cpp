#include "backends/linux/calls/awaited_senders.hpp"

#include <algorithm>

namespace dpm {

void AwaitedSenders::end_wait(const AwaitedSender& awaited) {
  awaited.receiver->finish(awaited.event);
  --awaited.receiver->open_operations;
}

void AwaitedSenders::add(const AwaitedSender& awaited) {
  if (awaited.event == MeteredThread::kNoEvent) return;
  if (awaited_.size() == kAwaitedMax) {
    end_wait(awaited_.front());
    awaited_.pop_front();
  }
  ++awaited.receiver->open_operations;
  awaited_.push_back(awaited);
}

bool AwaitedSenders::sent(ChannelId channel, std::uint64_t socket, ProcessId by) {
  const auto found = std::ranges::find_if(
      awaited_, [&](const AwaitedSender& one) { return one.channel == channel && one.socket == socket; });
  if (found == awaited_.end()) return false;
  found->receiver->event(found->event)->peer = by;
  end_wait(*found);
  awaited_.erase(found);
  return true;
}

void AwaitedSenders::give_up_old(std::int64_t since_ns) {
  for (; !awaited_.empty() && awaited_.front().since_ns <= since_ns; awaited_.pop_front()) end_wait(awaited_.front());
}

void AwaitedSenders::leave(const MeteredThread& receiver) {
  std::erase_if(awaited_, [&](const AwaitedSender& one) {
    if (one.receiver != &receiver) return false;
    end_wait(one);
    return true;
  });
}

}  // namespace dpm
