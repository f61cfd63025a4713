#include "backends/linux/calls/flow_table.hpp"

#include <algorithm>
#include <utility>

namespace dpm {

Flow& FlowTable::add(ChannelInfo described) {
  auto flow = std::make_unique<Flow>();
  flow->channel = ChannelId{channels_++};
  flow->kind = described.kind;
  flow->exact = described.medium == ChannelMedium::tcp;
  flow->is_pipe = described.medium == ChannelMedium::pipe;
  flow->counts_units = described.medium == ChannelMedium::eventfd;
  if (!flow->exact) flow->received.begin_at_zero();
  growth_.channels.push_back(std::move(described));
  auto& place = flows_[flow->channel.value];
  place = std::move(flow);
  return *place;
}

const Flow* FlowTable::find(ChannelId channel) const {
  const auto found = flows_.find(channel.value);
  return found == flows_.end() ? nullptr : found->second.get();
}

void FlowTable::stands_at(Flow& flow, bool sending, std::uint64_t socket, ChannelEnd end) {
  std::uint64_t& known = sending ? flow.sender_id : flow.receiver_id;
  if (known != 0) return;
  known = socket;
  end.machine = MachineId{0};
  end.socket = socket;
  growth_.ends.push_back({flow.channel, sending, std::move(end)});
}

std::uint32_t FlowTable::channel_set_of(Flow& flow) {
  if (flow.channel_set == 0) {
    flow.channel_set = channel_sets_++;
    growth_.channel_sets.push_back({flow.channel});
  }
  return flow.channel_set;
}

void FlowTable::reader_is(Flow& flow, ProcessId reader) {
  if (!flow.reader.is_none()) return;
  flow.reader = reader;
  growth_.owned.push_back({flow.channel, reader});
}

// What was sent bounds what was received, so the sending end is finished first.
void FlowTable::remove(Flow& flow) {
  flow.sent.accept_all();
  const std::uint64_t sent = flow.sent.expected();
  flow.received.accept_all(sent == 0 ? UINT64_MAX : sent);
  checks_.ended(flow);
  flow.removed = true;
  const auto found = flows_.find(flow.channel.value);
  removed_.push_back(std::move(found->second));
  flows_.erase(found);
}

void FlowTable::were_passed_by() {
  for (const auto& [channel, flow] : flows_) {
    flow->sent.accept_all();
    const std::uint64_t sent = flow->sent.expected();
    flow->received.accept_all(sent == 0 ? UINT64_MAX : sent);
    flow->passed_by = flow->kind == ChannelKind::stream && !flow->exact;
  }
}

void FlowTable::free_removed() {
  for (const auto& flow : removed_) growth_.closed.push_back(flow->channel);
  removed_.clear();
}

void FlowTable::check_all() const {
  for (const auto& [channel, flow] : flows_) checks_.ended(*flow);
}

bool FlowTable::has_unchecked_tcp() const {
  const auto is_unchecked = [](const StreamPosition& end) { return end.unchecked() > 0 || end.has_open(); };
  return std::any_of(flows_.begin(), flows_.end(), [&](const auto& entry) {
    const Flow& flow = *entry.second;
    return flow.exact && (is_unchecked(flow.sent) || is_unchecked(flow.received));
  });
}

}  // namespace dpm
