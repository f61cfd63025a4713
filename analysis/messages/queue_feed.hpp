// Arrival times of the messages of live programs, which the queue analysis needs and a Linux meter does not see.
//
// A message between two processes on one machine is in its receiver's queue from the moment it is sent, by the clock of
// that machine, so its MESSAGEQUEUED is inferred from its SEND. A process's queue is shared by its threads: which of
// them takes a message is not known before it does. So this sink, behind a MessageResolver, keeps messages until the
// end and then plays each queue's MESSAGEQUEUED and RECEIVE to the analysis in the order of their times.
//
// The arrival time of a message from outside, or from another machine, is not known: it has only a RECEIVE. Traces
// without live channels and without threads pass through unchanged.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/messages/thread_moments.hpp"
#include "model/divided_sink.hpp"
#include "model/event_source.hpp"

namespace dpm {

class QueueFeed : public DividedSink {
 public:
  // `queues` must outlive it. With `by_thread` every thread has a queue of its own.
  explicit QueueFeed(EventSink& queues, bool by_thread = false) : queues_(&queues), by_thread_(by_thread) {}
  explicit QueueFeed(DividedSink& queues, bool by_thread = false)
      : queues_(&queues), divided_(&queues), by_thread_(by_thread) {}

  void on_begin(const TraceInfo& info) override;
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

  // Where `queues` can be divided: a message that was sent goes to the part of its receiver, which plays the queue.
  int rounds() const override { return 1; }
  void put_for(const Shares& shares, int round, std::vector<ByteWriter>& for_part) override;
  void take_from(const Shares& shares, int round, std::uint32_t part, ByteReader& in) override;
  void give(ByteWriter& out) override;
  void take(ByteReader& in) override;

 private:
  enum class What : std::uint8_t { queued, sent, received };  // the kind that tells most about an arrival comes first
  struct Note {
    std::uint64_t sequence = 0;
    LocalTime time;
    ProcessId sender, receiver;
    ChannelId channel;
    MachineId machine;
    What what = What::received;
    ProcessId taker;  // the thread that received it
  };
  struct Presence {  // of a queue's process: the last moment at which it could have received
    LocalTime first, last;
    MachineId machine;
  };

  ProcessId queue_of(ProcessId process) const;
  void note_presence(const Event& event);
  void note_moment(const Event& event);
  void note_message(const Event& event);
  void pair_ends();
  void play();
  void play_all();

  EventSink* queues_;
  DividedSink* divided_ = nullptr;  // the same
  bool by_thread_;
  bool passes_through_ = false;
  const TraceInfo* info_ = nullptr;
  std::vector<Note> notes_;
  std::vector<std::vector<ThreadMoment>> moments_;  // by thread, where READYTIME is known; in order of time
  std::vector<Presence> present_;                   // by process; without a machine: not seen
};

}  // namespace dpm
