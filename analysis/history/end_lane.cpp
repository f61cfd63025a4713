#include "analysis/history/end_lane.hpp"

#include "model/check.hpp"

namespace dpm {

std::optional<std::vector<LaneEnd>> ends_of(std::span<const std::byte> lane) {
  std::vector<LaneEnd> ends;
  constexpr std::size_t kUsualBytes = 7;
  ends.reserve(lane.size() / kUsualBytes + 1);
  ShortNumbers numbers(lane);
  LaneEnd end;
  while (!numbers.at_end()) {
    end.sequence = after_difference(end.sequence, numbers.next());
    end.time_ns = static_cast<std::int64_t>(after_difference(static_cast<std::uint64_t>(end.time_ns), numbers.next()));
    const std::uint64_t step = numbers.next();
    if (!numbers.is_well() || step >> 33 != 0) return std::nullopt;
    end.index += static_cast<std::uint32_t>(step >> 1);
    end.inferred = (step & 1) != 0;
    ends.push_back(end);
  }
  return ends;
}

std::vector<LaneEnd> EndLane::ends() const {
  auto ends = ends_of(bytes_);
  DPM_CHECK(ends.has_value());
  return *std::move(ends);
}

}  // namespace dpm
