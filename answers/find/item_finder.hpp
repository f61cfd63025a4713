// Makes the items of one kind from the events of a trace. The events stay in memory, and of each message that is queued its key.
//
// Times are on one axis for all machines (analysis/clocks/common_time.hpp), from the first event on. A message with only one end in the
// trace has no latency. How long a message waited in its receiver's queue is known where its arrival is: in simulations, and between
// processes of one machine, where it arrives when it is sent (analysis/messages/queue_feed.hpp).
#pragma once

#include <unordered_map>
#include <vector>

#include "analysis/clocks/clocks.hpp"
#include "analysis/messages/queue_feed.hpp"
#include "answers/find/item.hpp"
#include "answers/reading/event_keeper.hpp"
#include "model/event_source.hpp"
#include "model/message_key.hpp"

namespace dpm::cli {

// How long each message was in the queue of its receiver, by the clock of the receiver's machine. Stands behind a QueueFeed.
class QueueWaits : public EventSink {
 public:
  void on_begin(const TraceInfo&) override {}
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport&) override { arrived_.clear(); }

  // Item::kUnknown if it is not known.
  std::int64_t of(const MessageKey& message) const;

 private:
  struct Arrived {
    LocalTime when;
    MachineId machine;
  };
  std::unordered_map<MessageKey, Arrived, MessageKeyHash> arrived_;
  std::unordered_map<MessageKey, std::int64_t, MessageKeyHash> waits_ns_;
};

class ItemFinder {
 public:
  explicit ItemFinder(ItemKind kind) : kind_(kind), feed_(waits_) {}

  // For one reading of the trace.
  std::vector<EventSink*> sinks();

  // After the reading.
  std::vector<Item> items(const TraceInfo& info) const;
  const Clocks& clocks() const { return clocks_.result(); }

 private:
  bool has_messages() const { return kind_ == ItemKind::messages || kind_ == ItemKind::channels; }

  ItemKind kind_;
  ClockAnalysis clocks_;
  EventKeeper keeper_;
  QueueWaits waits_;
  QueueFeed feed_;
};

}  // namespace dpm::cli
