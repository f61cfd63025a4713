#include "backends/linux/calls/unreceived_datagrams.hpp"

#include <algorithm>
#include <utility>

namespace dpm {
namespace {

// A socket without a name may have got one after the send.
bool may_be_named(const DatagramMark& sent, const std::string& name) {
  return !sent.sender || sent.sender->empty() || *sent.sender == name;
}

bool is_same(const DatagramMark& sent, const DatagramMark& received) {
  if (received.socket != 0) return sent.socket == received.socket;
  if (sent.bytes != received.bytes) return false;
  if (received.sender && !may_be_named(sent, *received.sender)) return false;
  return sent.beginning == 0 || received.beginning == 0 || sent.beginning == received.beginning;
}

}  // namespace

void UnreceivedDatagrams::sent(ProcessId by, DatagramMark mark) {
  if (sent_.size() == kWaitingMax) sent_.pop_front();
  sent_.push_back({by, std::move(mark)});
}

std::optional<ProcessId> UnreceivedDatagrams::take(const DatagramMark& received) {
  const auto found = std::ranges::find_if(sent_, [&](const Sent& one) { return is_same(one.mark, received); });
  if (found == sent_.end()) return std::nullopt;
  const ProcessId by = found->by;
  for (auto one = sent_.begin(); one != found; ++one) ++one->overtaken;
  sent_.erase(found);
  while (!sent_.empty() && sent_.front().overtaken > kOvertakenMax) sent_.pop_front();
  return by;
}

}  // namespace dpm
