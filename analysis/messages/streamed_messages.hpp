// Turns what live programs do with streams and datagrams into messages in one pass, for a run whose trace is not kept. The messages are
// those of MessageResolver, which reads a trace twice.
//
// What a SEND or a RECEIVE is as a message is decided by both ends of its channel, so each waits here until the other end has come as
// far. A stream is settled up to a place where it was empty: an end of SENDs that is also an end of RECEIVEs, behind which no byte can
// change what lies before.
//
//     SENDs      |---- A ----|-- B --|----- C -----|          the stream was empty after B: A and B are settled,
//     RECEIVEs   |--- 1 ---|--- 2 ---|-- 3 --|                C and 3 wait
//
// Two sinks get the events:
//   `as_performed`  every event at once, in the order of each process; messages of streams and datagrams are marked with
//                   event_flags::kNoMessage, and count only for the time that passed.
//   `messages`      the events that MessageResolver would pass on. SENDs and RECEIVEs come when they are settled, perhaps behind later events of
//                   their process; what needs that order cannot use this sink.
//
// Memory: at most kWaitingMost events wait. Then channels are settled as they are, their SENDs as not received: first those that lead
// outside, whose other end never comes and which are settled at once from then on; then those that have waited longest. `hurried()`
// counts the operations of which the other end came after all. They do not count as messages, because their other end has counted: of them alone,
// the result may differ from that of a trace.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/messages/byte_ranges.hpp"
#include "analysis/messages/process_slots.hpp"
#include "analysis/messages/stream_messages.hpp"
#include "model/event_source.hpp"
#include "model/trace_growth.hpp"

namespace dpm {

class StreamedMessages : public EventSink, public GrowthSink {
 public:
  static constexpr std::size_t kWaitingMost = 65'536;

  // Both sinks get on_begin() with the rows of processes, which grow (process_slots.hpp), and on_end() with the notes on messages as
  // warnings.
  StreamedMessages(EventSink& as_performed, EventSink& messages);

  void on_begin(const TraceInfo& info) override;
  void on_growth(const TraceGrowth& growth) override;
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

  const TraceInfo& rows() const { return rows_; }
  const ProcessSlots& slots() const { return slots_; }
  // Its messages have no numbers, and are settled late.
  bool is_live(ChannelId channel) const;
  std::uint64_t hurried() const { return hurried_; }
  std::size_t waiting() const { return waiting_; }
  // The time of the oldest event that waits and will be a message of this process's queue; the largest time if none waits.
  // By row of the process, threads counting as their process.
  std::unordered_map<std::uint32_t, LocalTime> oldest_by_queue() const;
  // What on_end() adds to the warnings.
  std::vector<std::string> notes() const;

 private:
  struct Waiting {
    Event event;
    std::uint32_t set = 0;  // of a RECEIVE: what its process waited for
  };
  // One direction of a stream: which bytes have passed this end.
  struct End {
    std::uint64_t until = 0;  // the last byte that was seen here
    std::uint64_t waiting_bytes = 0;
    std::uint64_t waiting = 0;
    ProcessId first, holder;  // rows: that used it; that held its descriptor
  };
  struct Channel {
    ChannelInfo info;
    std::vector<Waiting> events;  // in the order in which they came; GAPs too
    End sent, received;
    std::uint64_t settled_until = 0;
    bool has_begun = false;
    std::size_t next_look = kLookLeast;  // from this number of events on, part of them may be settled
    ProcessId last_sender;
    bool was_hurried = false;
    std::uint64_t hurried_until = 0;
    std::uint64_t since = 0;  // stands in `order_` under this number while events wait
  };
  static constexpr std::size_t kLookLeast = 64;
  static constexpr std::size_t kSetsMost = 65'536;

  Channel* channel_of(ChannelId id);
  void add_set(const std::vector<ChannelId>& set) { sets_.push_back(set); }
  void take(Event event);
  void note_holder(ProcessId process, ChannelId writes, ChannelId reads);
  void note_gap(const Event& event, Channel& channel);
  void take_message(Event event, ChannelId id, Channel& channel);
  void wait(ChannelId id, Channel& channel, const Waiting& waiting);
  void look(ChannelId id, Channel& channel);
  static std::uint64_t settled_part(const Channel& channel);
  void settle(ChannelId id, Channel& channel, std::uint64_t until);
  void settle_all(ChannelId id, Channel& channel);
  void resolve_stream(ChannelId id, Channel& channel, std::span<const Waiting> events);
  void resolve_datagrams(ChannelId id, Channel& channel, std::span<const Waiting> events);
  void resolve_send(ChannelId id, Channel& channel, const Event& event, ByteRanges& sent, const ByteRanges& received);
  void resolve_receive(ChannelId id, Channel& channel, const Waiting& waiting, const ByteRanges& sent,
                       ByteRanges& received);
  void pass_without_message(Event event);
  ProcessId writer_of(ChannelId id, const Channel& channel);
  ProcessId reader_of(ChannelId id, const Channel& channel);
  void hurry();
  void forget_closed();
  void pass_on();

  EventSink& as_performed_;
  EventSink& messages_;
  TraceInfo rows_;
  ProcessSlots slots_{rows_};
  std::uint32_t processes_told_ = 0, channels_told_ = 0;
  std::deque<std::vector<ChannelId>> sets_;  // the last kSetsMost
  std::uint32_t sets_forgotten_ = 0;
  std::unordered_map<std::uint32_t, Channel> channels_;
  struct Order {
    ChannelId channel;
    std::uint64_t since = 0;
  };
  std::deque<Order> order_;  // channels with waiting events, by how long they have waited; and some that wait no more
  std::uint64_t next_since_ = 0;
  // A source may forget what events that it delivers next still name.
  std::vector<ProcessId> ended_, ended_before_;
  std::vector<ChannelId> closed_, closed_before_;
  std::unordered_map<std::uint32_t, std::uint32_t> waiting_set_;  // by row
  std::size_t waiting_ = 0;
  std::vector<Event> performed_, out_;
  std::vector<MessagePart> parts_;
  std::vector<TakenMessage> taken_;
  std::uint64_t hurried_ = 0, unknown_ = 0, contradictions_ = 0, gap_bytes_ = 0, gap_datagrams_ = 0;
  std::uint64_t matched_ = 0, passed_over_ = 0, unsent_bytes_ = 0, unsent_messages_ = 0, unsent_datagrams_ = 0;
};

}  // namespace dpm
