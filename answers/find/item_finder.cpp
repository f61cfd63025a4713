#include "answers/find/item_finder.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/blame/line_builder.hpp"
#include "analysis/clocks/common_time.hpp"
#include "analysis/history/message_matcher.hpp"
#include "model/metered_cpu.hpp"

namespace dpm::cli {
namespace {

bool is_whole_message(const Event& event) {
  return (event.type == EventType::send || event.type == EventType::receive) &&
         (event.flags & (event_flags::kNoMessage | event_flags::kKernelMessage)) == 0;
}

// The events of a trace on one axis, which begins with the first one. Machines that no messages join have an axis of their own.
class TimedEvents {
 public:
  TimedEvents(std::span<const Event> events, const Clocks& clocks)
      : events_(events), time_(clocks), times_ns_(time_.times_ns(events)) {
    std::map<MachineId, std::int64_t> first;  // by the machine whose clock is used
    for (std::size_t i = 0; i < events.size(); ++i) {
      const auto [begin, is_new] = first.try_emplace(time_.reference_of(events[i].machine), times_ns_[i]);
      begin->second = std::min(begin->second, times_ns_[i]);
    }
    for (std::size_t i = 0; i < events.size(); ++i) times_ns_[i] -= first.at(time_.reference_of(events[i].machine));
  }

  std::span<const Event> events() const { return events_; }
  std::span<const std::int64_t> times_ns() const { return times_ns_; }

  // By process: the places of its events.
  std::vector<std::vector<std::uint32_t>> by_process(std::size_t processes) const {
    std::vector<std::vector<std::uint32_t>> places(processes);
    for (std::uint32_t i = 0; i < events_.size(); ++i)
      if (events_[i].process.value < processes) places[events_[i].process.value].push_back(i);
    return places;
  }

 private:
  std::span<const Event> events_;
  CommonTime time_;
  std::vector<std::int64_t> times_ns_;
};

std::vector<Item> messages_of(const TimedEvents& timed, const QueueWaits& waits) {
  const auto events = timed.events();
  const auto times_ns = timed.times_ns();
  std::vector<Item> items;
  const auto add = [&](std::uint32_t first, std::int64_t took_ns) {
    const Event& event = events[first];
    const bool sends = event.type == EventType::send;
    Item& item = items.emplace_back();
    item.from = sends ? event.process : event.peer;
    item.to = sends ? event.peer : event.process;
    item.channel = event.channel;
    item.at_ns = times_ns[first];
    item.took_ns = took_ns;
    item.wait_ns = waits.of(message_key(event));
    item.bytes = event.length_bytes;
    item.messages = 1;
  };
  MessageMatcher open;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (!is_whole_message(event)) continue;
    const MessageKey key = message_key(event);
    const MessageEnd end = event.type == EventType::send ? MessageEnd::send : MessageEnd::receive;
    auto* const other = open.find(key);
    if (other == nullptr) {
      open.insert(key, end, event.process.value, i);
    } else if (static_cast<MessageEnd>(other->end) != end) {
      const auto [sent, received] =
          end == MessageEnd::receive ? std::pair(other->index, i) : std::pair(i, other->index);
      open.erase(other);
      add(sent, std::max<std::int64_t>(times_ns[received] - times_ns[sent], 0));
      items.back().to = events[received].process;
    }
  }
  std::vector<std::uint32_t> left;
  open.for_each([&](const MessageMatcher::Entry& entry) { left.push_back(entry.index); });
  std::sort(left.begin(), left.end());
  for (const std::uint32_t i : left) add(i, Item::kUnknown);
  return items;
}

std::vector<Item> channels_of(const std::vector<Item>& messages) {
  std::map<std::tuple<ChannelId, ProcessId, ProcessId>, Item> channels;
  for (const Item& message : messages) {
    const auto [entry, is_new] = channels.try_emplace({message.channel, message.from, message.to}, message);
    if (is_new) continue;
    Item& channel = entry->second;
    ++channel.messages;
    channel.bytes += message.bytes;
    channel.at_ns = std::min(channel.at_ns, message.at_ns);
    channel.took_ns = std::max(channel.took_ns, message.took_ns);
    channel.wait_ns = std::max(channel.wait_ns, message.wait_ns);
  }
  std::vector<Item> items;
  for (auto& [key, channel] : channels) items.push_back(channel);
  return items;
}

// Which of two processes asks the other one: the one that connected, or else the one that sent the first message. Otherwise an answer and
// the next question would be a request, too, of the server.
class Askers {
 public:
  Askers(const TimedEvents& timed, const TraceInfo& info) : info_(info) {
    for (std::size_t i = 0; i < timed.events().size(); ++i) {
      const Event& event = timed.events()[i];
      const bool connects = event.type == EventType::connect;
      if (event.peer.is_none() || !(connects || (event.type == EventType::send && is_whole_message(event)))) continue;
      const ProcessId asker = whole(event.process), other = whole(event.peer);
      const First first{!connects, timed.times_ns()[i], asker};
      const auto [known, is_new] = first_.try_emplace(std::minmax(asker, other), first);
      if (!is_new) known->second = std::min(known->second, first);
    }
  }

  bool asks(ProcessId process, ProcessId other) const {
    const ProcessId one = whole(process), two = whole(other);
    const auto known = first_.find(std::minmax(one, two));
    return known == first_.end() || std::get<ProcessId>(known->second) == one;
  }

 private:
  using First = std::tuple<bool, std::int64_t, ProcessId>;  // a connection is before all messages

  // The process of a thread.
  ProcessId whole(ProcessId process) const {
    if (process.value >= info_.processes.size()) return process;
    const ProcessId group = info_[process].group;
    return group.value < info_.processes.size() ? group : process;
  }

  const TraceInfo& info_;
  std::map<std::pair<ProcessId, ProcessId>, First> first_;
};

std::vector<Item> requests_of(const ProcessLine& line, ProcessId process, const Askers& askers) {
  std::vector<Item> items;
  for (std::size_t i = 0; i < line.requests.size(); ++i) {
    const BlameRequest& request = line.requests[i];
    if (!askers.asks(process, request.answered_by)) continue;
    Item& item = items.emplace_back();
    item.from = process;
    item.to = request.answered_by;
    item.number = static_cast<std::int64_t>(i + 1);
    item.at_ns = request.interval.from_ns;
    item.took_ns = request.interval.length_ns();
  }
  return items;
}

std::vector<Item> gaps_of(const ProcessLine& line, ProcessId process) {
  std::vector<Item> items;
  for (const ProcessGap& gap : line.gaps) {
    Item& item = items.emplace_back();
    item.from = process;
    item.to = gap.waits_for;
    item.at_ns = gap.from_ns;
    item.took_ns = gap.to_ns - gap.from_ns;
    item.wait_ns = gap.idle_to_ns - gap.idle_from_ns;
    item.cpu_ns = gap.cpu_ns;
  }
  return items;
}

template <typename ItemsOf>
std::vector<Item> along_lines(const TimedEvents& timed, const TraceInfo& info, const ItemsOf& items_of) {
  const LineBuilder lines(timed.events(), timed.times_ns(), info);
  const auto places = timed.by_process(info.processes.size());
  std::vector<Item> items;
  for (std::uint32_t p = 0; p < places.size(); ++p) {
    if (places[p].empty()) continue;
    const std::vector<Item> own = items_of(lines.line_of(places[p]), ProcessId{p});
    items.insert(items.end(), own.begin(), own.end());
  }
  return items;
}

std::vector<Item> processes_of(const TimedEvents& timed, const TraceInfo& info) {
  const auto places = timed.by_process(info.processes.size());
  std::vector<Item> items;
  for (std::uint32_t p = 0; p < places.size(); ++p) {
    if (places[p].empty()) continue;
    Item& item = items.emplace_back();
    item.from = ProcessId{p};
    item.messages = item.bytes = 0;
    MeteredCpu cpu;
    std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
    item.at_ns = std::numeric_limits<std::int64_t>::max();
    for (const std::uint32_t i : places[p]) {
      const Event& event = timed.events()[i];
      cpu.add(event);
      item.at_ns = std::min(item.at_ns, timed.times_ns()[i]);
      last_ns = std::max(last_ns, timed.times_ns()[i]);
      if (!is_whole_message(event)) continue;
      ++item.messages;
      if (event.type == EventType::send) item.bytes += event.length_bytes;
    }
    item.took_ns = last_ns - item.at_ns;
    item.cpu_ns = static_cast<std::int64_t>(cpu.used_ns(was_acquired(info, ProcessId{p})));
  }
  return items;
}

}  // namespace

void QueueWaits::on_events(std::span<const Event> batch) {
  for (const Event& event : batch) {
    if (event.type == EventType::message_queued) {
      arrived_[message_key(event)] = {event.local_time, event.machine};
    } else if (event.type == EventType::receive && is_whole_message(event)) {
      const auto arrived = arrived_.find(message_key(event));
      if (arrived == arrived_.end()) continue;
      if (arrived->second.machine == event.machine)
        waits_ns_[arrived->first] = std::max<std::int64_t>((event.local_time - arrived->second.when).ns, 0);
      arrived_.erase(arrived);
    }
  }
}

std::int64_t QueueWaits::of(const MessageKey& message) const {
  const auto found = waits_ns_.find(message);
  return found == waits_ns_.end() ? Item::kUnknown : found->second;
}

std::vector<EventSink*> ItemFinder::sinks() {
  std::vector<EventSink*> sinks = {&clocks_, &keeper_};
  if (has_messages()) sinks.push_back(&feed_);
  return sinks;
}

std::vector<Item> ItemFinder::items(const TraceInfo& info) const {
  const TimedEvents timed(keeper_.events(), clocks_.result());
  switch (kind_) {
    case ItemKind::messages:
      return messages_of(timed, waits_);
    case ItemKind::channels:
      return channels_of(messages_of(timed, waits_));
    case ItemKind::requests:
      return along_lines(timed, info, [askers = Askers(timed, info)](const ProcessLine& line, ProcessId process) {
        return requests_of(line, process, askers);
      });
    case ItemKind::gaps:
      return along_lines(timed, info, gaps_of);
    case ItemKind::processes:
      return processes_of(timed, info);
  }
  return {};
}

}  // namespace dpm::cli
