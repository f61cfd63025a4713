// Turns what live programs did with streams and datagrams into messages: one SEND, one RECEIVE, and the same (sender,
// channel, sequence) at both, which is all that the other analyses understand.
//
// The trace is read twice: a MessageSurvey sees it first, then this sink stands in front of the analyses and passes on
// each event as
//   SEND         one for each process that took bytes of it (stream_messages.hpp), or unchanged if none did
//   RECEIVE      one for each message that begins in it; further ones wait for what the first waited for
//                (RECEIVECALL). A RECEIVE in which no message begins keeps its place and its times, and
//                event_flags::kNoMessage marks that it counts for nothing else.
//   ACCEPT, CONNECT   with the process at the other end
//   all others   unchanged.
//
// A stream's messages are numbered by their first byte, datagrams as their sender counted them. The process at the
// other end is always filled in. It is a metered process; or one outside (outside_ends.hpp) where no metered process
// ever was; or, where a metered process was but was not seen to send these bytes, that process with a number that no
// SEND has, so that the message counts as missing. Datagrams are matched by circumstantial evidence, and marked as
// inferred.
//
// Events of one process stay in its order; interleaving does not matter. What cannot be explained is counted and
// becomes a warning in the LossReport; the two readings may even differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/messages/message_survey.hpp"
#include "analysis/messages/outside_ends.hpp"
#include "analysis/messages/stream_messages.hpp"
#include "model/event_source.hpp"

namespace dpm {

// The length of a RECEIVE that takes part of a message. As received, the bytes of all RECEIVEs add up to those that
// came.
enum class ReceiveLength : std::uint8_t { of_message, as_received };

class MessageResolver : public EventSink {
 public:
  // `next` must outlive it. `survey` has seen the whole trace; the TraceInfo of the second reading is complete as well.
  MessageResolver(MessageSurvey survey, EventSink& next, ReceiveLength length = ReceiveLength::of_message);

  void on_begin(const TraceInfo& info) override;
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

  // Of a part of the trace: datagrams without a known sender are numbered from here, so that each part has its own numbers.
  void number_unsent_from(std::uint64_t number) { unsent_datagrams_ = number; }
  // What was received from metered ends that did not send it; add() before on_end().
  struct Unsent {
    std::uint64_t bytes = 0, messages = 0;
  };
  Unsent unsent() const { return {unsent_bytes_, unsent_messages_}; }
  void add(const Unsent& more) { unsent_bytes_ += more.bytes, unsent_messages_ += more.messages; }

  // The trace's tables, with the outside processes after its own. From on_begin() on.
  const TraceInfo& info() const { return info_; }
  // What on_end() added to the warnings of the report.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  ChannelTraffic* traffic(ChannelId channel);
  void want_outside_ends();
  void resolve(const Event& event);
  void resolve_send(const Event& event, ChannelTraffic& traffic);
  void resolve_receive(const Event& event, ChannelTraffic& traffic);
  void send_datagram(Event event, ChannelTraffic& traffic);
  void receive_datagram(Event event, ChannelTraffic& traffic);
  void pass_without_message(Event event);
  void pass_unsent(Event event, const TakenMessage& taken, const ChannelTraffic& traffic);
  std::uint32_t bytes_until_next(const ByteRange& received, std::size_t i) const;
  ProcessId writer_of(ChannelId channel) const;
  ProcessId reader_of(ChannelId channel) const;
  void make_warnings();

  MessageSurvey survey_;
  EventSink* next_;
  ReceiveLength length_;
  TraceInfo info_;
  std::optional<OutsideEnds> outside_;      // from on_begin() on
  std::vector<std::uint32_t> waiting_set_;  // by process: what its next RECEIVE waits for
  std::vector<Event> out_;
  std::vector<MessagePart> parts_;
  std::vector<TakenMessage> taken_;
  std::uint64_t unsent_bytes_ = 0, unsent_messages_ = 0;  // received from a metered end that did not send them
  std::uint64_t unsent_datagrams_ = 0;
  std::vector<std::string> warnings_;
};

}  // namespace dpm
