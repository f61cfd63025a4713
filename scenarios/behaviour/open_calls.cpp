#include "scenarios/behaviour/open_calls.hpp"

#include <algorithm>

namespace dpm {

std::optional<Message> OpenCalls::take(std::uint64_t request, const Message& current) {
  const auto open = calls_.find(request);
  if (open == calls_.end()) return std::nullopt;
  auto& calls = open->second;
  const auto is_current = [&](const Message& call) { return call.reply_to == current.reply_to; };
  auto chosen = std::find_if(calls.begin(), calls.end(), is_current);
  if (chosen == calls.end()) chosen = std::prev(calls.end());
  Message taken = std::move(*chosen);
  calls.erase(chosen);
  if (calls.empty()) calls_.erase(open);
  return taken;
}

void OpenCalls::forget(std::uint64_t request, const Message& message) {
  const auto open = calls_.find(request);
  if (open == calls_.end() || !message.reply_to) return;
  std::erase_if(open->second, [&](const Message& call) { return call.reply_to == message.reply_to; });
  if (open->second.empty()) calls_.erase(open);
}

}  // namespace dpm
