#include "analysis/history/crossing_messages.hpp"

#include <algorithm>
#include <numeric>

namespace dpm {
namespace {

using Numbers = std::vector<std::uint64_t>;

// The places of `numbers` in increasing order of these.
std::vector<std::uint32_t> in_order(const Numbers& numbers) {
  std::vector<std::uint32_t> places(numbers.size());
  std::iota(places.begin(), places.end(), 0u);
  if (!std::is_sorted(numbers.begin(), numbers.end()))
    std::sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) { return numbers[a] < numbers[b]; });
  return places;
}

}  // namespace

JoinedLists join_lists(const Numbers& sends, const Numbers& receives) {
  JoinedLists joined{std::vector<std::uint32_t>(sends.size(), JoinedLists::kNotReceived),
                     std::vector<bool>(receives.size()),
                     sends.size() < JoinedLists::kNotReceived && receives.size() < JoinedLists::kNotReceived};
  if (!joined.is_clear) return joined;
  const auto sent = in_order(sends), received = in_order(receives);
  for (std::size_t i = 1; i < sent.size(); ++i) joined.is_clear &= sends[sent[i - 1]] != sends[sent[i]];
  auto next = sent.begin();
  for (const std::uint32_t receive : received) {
    while (next != sent.end() && sends[*next] < receives[receive]) ++next;
    if (next == sent.end()) break;
    if (sends[*next] != receives[receive]) continue;
    std::uint32_t& receive_of = joined.receive_of[*next];
    joined.is_clear &= receive_of == JoinedLists::kNotReceived;
    receive_of = receive;
    joined.is_sent[receive] = true;
  }
  return joined;
}

}  // namespace dpm
