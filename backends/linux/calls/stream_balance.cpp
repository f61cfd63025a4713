#include "backends/linux/calls/stream_balance.hpp"

namespace dpm {
namespace {

// The kernel makes one message of a send up to this size: all of it is there, or nothing. Of a longer send a part may
// be.
constexpr std::uint64_t kOneMessage = 32768;

}  // namespace

std::optional<StreamBalance::Received> StreamBalance::received(const Sight& sight) {
  if (is_open_ || sight.sent == 0) return std::nullopt;
  std::uint64_t under_way = 0, least_missing = sight.sent;
  for (const Send& send : sends_) {
    under_way += send.bytes;
    least_missing = std::min(least_missing, send.bytes > kOneMessage ? 1 : send.bytes);
  }
  const auto taken_of = [&sight](std::uint64_t sent) { return sent - std::min(sent, sight.waiting); };
  received_ = std::max({received_, sight.received, taken_of(sight.sent - std::min(sight.sent, under_way))});
  const bool all_made = under_way == 0 || sight.ended || received_ + sight.waiting > sight.sent - least_missing;
  const bool is_all = all_made && sight.asked == 0;
  if (!is_all) return Received{received_, false};
  received_ = std::max(received_, taken_of(sight.sent));  // if it is more, an unmetered process sent as well
  return Received{received_, true};
}

}  // namespace dpm
