// The space-time diagram of a window, and one message of it. A window with few events is exact: they are read again from
// their packets. A larger one is drawn from levels.
//
// Messages of pictures get numbers, so that a page can ask for one; the latest kArcsMost are remembered.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "analysis/timeline/recorded_timeline.hpp"
#include "answers/live/live_recording.hpp"
#include "view/answers/answer.hpp"

namespace dpm::cli {

class SpaceTimeAnswers {
 public:
  static constexpr std::uint64_t kExactMost = 30'000;   // events in an exact window
  static constexpr std::uint64_t kReadMost = 300'000;   // events read again for it
  static constexpr std::size_t kArcsMost = 200'000;     // remembered
  static constexpr std::size_t kMarksMost = 30'000;     // bins, and flows, in one answer
  static constexpr std::size_t kNeighboursMost = 2000;  // of a message: in its past, and in its future

  Result<view::Answer> space_time(const view::Json& params, LiveRecording& recording);
  Result<view::Answer> message(const view::Json& params, LiveRecording& recording);

 private:
  using ArcKey =
      std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint8_t>;  // sender, channel, number, kind
  struct KnownArc {
    ArcKey key;
    std::int64_t sent_ns = 0, received_ns = 0;
  };

  static ArcKey key_of(const RecordedArc& arc);
  std::uint64_t id_of(const RecordedArc& arc);
  void forget_oldest();

  std::map<ArcKey, std::uint64_t> numbers_;
  std::map<std::uint64_t, KnownArc> arcs_;  // by number; the oldest first
  std::uint64_t next_number_ = 1;
};

}  // namespace dpm::cli
