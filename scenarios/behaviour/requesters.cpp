#include "scenarios/behaviour/requesters.hpp"

#include <algorithm>

namespace dpm {
namespace {

constexpr std::size_t kRequestersRemembered =
    100'000;  // so that a service that runs without end does not grow without end

}  // namespace

void Requesters::sent(std::uint64_t request, std::size_t sender) {
  const auto [entry, is_new] = senders_.try_emplace(request);
  auto& senders = entry->second;
  senders.erase(std::remove(senders.begin(), senders.end(), sender), senders.end());
  senders.push_back(sender);
  if (!is_new) return;
  by_age_.push_back(request);
  if (by_age_.size() <= kRequestersRemembered) return;
  senders_.erase(by_age_.front());
  by_age_.pop_front();
}

std::optional<std::size_t> Requesters::latest(std::uint64_t request,
                                              const std::function<bool(std::size_t)>& fits) const {
  const auto found = senders_.find(request);
  if (found == senders_.end()) return std::nullopt;
  const auto& senders = found->second;
  const auto latest = std::find_if(senders.rbegin(), senders.rend(), fits);
  return latest == senders.rend() ? std::nullopt : std::optional(*latest);
}

}  // namespace dpm
