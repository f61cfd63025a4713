// Arrival times of messages for the queue analysis in one pass, behind StreamedMessages: what QueueFeed infers from a whole trace.
//
// A message is in its receiver's queue from its SEND to its RECEIVE, which come here together, when they are settled. Each queue
// gets its events in the order of their times, up to the oldest operation of it that still waits to be settled; what is later waits
// here.
//
// Memory: at most kNotesMost arrivals and receives wait; then the older half is played, and what comes late counts from the time
// that is played already (late()).
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "analysis/messages/streamed_messages.hpp"
#include "analysis/messages/thread_moments.hpp"
#include "model/event_source.hpp"

namespace dpm {

class StreamedQueues {
 public:
  static constexpr std::size_t kNotesMost = 131'072;

  StreamedQueues(const StreamedMessages& messages, EventSink& queues) : messages_(messages), queues_(queues) {}

  void on_begin(const TraceInfo& rows);
  // What StreamedMessages gives to its two sinks.
  void on_performed(std::span<const Event> batch);
  void on_messages(std::span<const Event> batch);
  // Plays what cannot change any more.
  void play();
  // The rest.
  void on_end(const LossReport& losses);

  std::uint64_t late() const { return late_; }

 private:
  enum class What : std::uint8_t { queued, received };
  struct Note {
    LocalTime time;
    What what = What::queued;
    ProcessId sender;
    ChannelId channel;
    std::uint64_t sequence = 0;
    MachineId machine;
    ProcessId taker;  // of an arrival: none until its RECEIVE is known
  };
  struct Queue {
    std::vector<Note> notes;
    LocalTime first, last;  // of its process's events
    LocalTime played_until;
    MachineId machine;
    bool is_begun = false;  // its first event is played
  };

  ProcessId queue_of(ProcessId row) const;
  Queue& queue_at(ProcessId row);
  void play_queue(ProcessId row, Queue& queue, LocalTime until);
  void add(ProcessId process, const Note& note);
  void forget_moments();
  void pass_on();

  const StreamedMessages& messages_;
  EventSink& queues_;
  const TraceInfo* rows_ = nullptr;
  std::vector<Queue> all_;                                               // by row
  std::unordered_map<std::uint32_t, std::deque<ThreadMoment>> moments_;  // by row of the thread
  std::vector<Event> out_;
  std::size_t notes_ = 0;
  std::uint64_t late_ = 0;
};

}  // namespace dpm
