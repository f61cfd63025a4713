// A history from parts of a trace.
//
// Each part has built the events of its processes, with all messages between them joined. Those between parts are in the lanes of
// CrossingMessages. The part of the receiver joins them and answers:
//
//   part 0   S ....... SENDs of messages to B ──►   part 1 joins them to its RECEIVEs
//            S ◄────── which RECEIVE took each ◄──
//
// So the work on messages is divided too. SENDs that did not know their receivers stay open. Then either one part takes the events
// of all, and joins what is open; or each part keeps its own (part_facts.hpp).
#pragma once

#include <vector>

#include "analysis/history/crossing_messages.hpp"
#include "analysis/history/history_build.hpp"
#include "model/divided_sink.hpp"

namespace dpm {

// Two ends that one part has found to be of one message, for the part of the first.
struct JoinedEnds {
  MessageKey key;
  std::uint32_t process = 0, index = 0;
  std::uint32_t other = 0, match = 0;
  bool inferred = false;
};

class HistoryParts {
 public:
  explicit HistoryParts(HistoryBuild& build) : build_(build) {}

  void put_crossing_sends(const Shares& shares, std::vector<ByteWriter>& for_part);
  void take_crossing_sends(std::uint32_t part, ByteReader& in);
  void put_answers(std::vector<ByteWriter>& for_part);
  void take_answers(std::uint32_t part, ByteReader& in);

  // Joins an end from elsewhere to the one here. False: it is not here.
  bool join(const OpenEnd& end, JoinedEnds& joined);

  void give(ByteWriter& out) const;
  void take(ByteReader& in);

 private:
  struct SentLane;
  struct ReceivedLanes;

  void join_lane(const SentLane& sends, ReceivedLanes& receives, Bytes& answers);
  void take_answers_of(const CrossingLane& lane, ShortNumbers& answers);
  void leave_open(const OpenEnd& end);
  void take_processes(ByteReader& in);
  void take_creations(ByteReader& in);
  void take_open_ends(ByteReader& in);

  HistoryBuild& build_;
  std::vector<Bytes> answers_;  // by part
};

}  // namespace dpm
