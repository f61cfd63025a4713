#include "sampling/waits/wait_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "os/kernel/process_files.hpp"
#include "sampling/waits/waited_descriptors.hpp"

namespace dpm::sampling {
namespace {

constexpr std::size_t kNamed = 8;           // descriptors of one call
constexpr std::size_t kLookedAt = 64;       // of these, for whom is at the other end
constexpr std::size_t kPlacesMax = 10'000;  // what is found later has no place

}  // namespace

std::string descriptors_text(const std::vector<int>& descriptors) {
  const std::size_t named = std::min(descriptors.size(), kNamed);
  std::string text =
      fmt::format("{}", fmt::join(descriptors.begin(), descriptors.begin() + static_cast<long>(named), ", "));
  if (named < descriptors.size()) text += fmt::format(" and {} more", descriptors.size() - named);
  return text;
}

void WaitPlaces::add(const Sample& sample) {
  ++number_;
  for (const ThreadSample& thread : sample.threads) {
    if (thread.thread == 0) continue;
    const auto [entry, is_new] = threads_.try_emplace({thread.thread, thread.start_ticks});
    Waiting& waiting = entry->second;
    if (is_new || !thread.waits_still || may_find_more(waiting)) waiting.place = place_of(thread);
    waiting.sample = number_;
    if (waiting.place == kNowhere) continue;
    ++places_[waiting.place].samples;
    ++samples_;
  }
  std::erase_if(threads_, [&](const auto& entry) { return entry.second.sample != number_; });
}

// The process at the other end may not have been known yet.
bool WaitPlaces::may_find_more(const Waiting& waiting) const {
  constexpr std::uint64_t kBetweenLooks = 8;
  return waiting.place != kNowhere && places_[waiting.place].others.empty() && number_ % kBetweenLooks == 0;
}

std::size_t WaitPlaces::place_of(const ThreadSample& thread) {
  if (thread.call.number < 0) return kNowhere;
  const std::vector<int> descriptors = waited_descriptors(thread.thread, thread.call);
  if (descriptors.empty()) return kNowhere;
  std::set<std::string> others;
  for (std::size_t i = 0; i < std::min(descriptors.size(), kLookedAt); ++i)
    if (std::string other = ends_.of(thread.thread, descriptors[i]); !other.empty()) others.insert(std::move(other));
  const auto status = read_status(thread.thread);
  WaitPlace place{.process = status ? read_command_name(status->pid, status->pid) : "",
                  .state = thread.state,
                  .descriptors = descriptors_text(descriptors),
                  .others = {others.begin(), others.end()}};
  if (place.process.empty()) return kNowhere;  // it has ended
  const auto known = known_.find(place);
  if (known != known_.end()) return known->second;
  if (places_.size() >= kPlacesMax) return kNowhere;
  places_.push_back(place);
  return known_[std::move(place)] = places_.size() - 1;
}

std::vector<WaitPlace> WaitPlaces::all() const {
  std::vector<WaitPlace> sorted = places_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const WaitPlace& a, const WaitPlace& b) { return a.samples > b.samples; });
  return sorted;
}

}  // namespace dpm::sampling
