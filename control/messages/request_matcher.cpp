#include "control/messages/request_matcher.hpp"

#include <utility>

namespace dpm {

std::uint64_t RequestMatcher::expect(Answer answer) {
  waiting_.emplace(next_number_, std::move(answer));
  return next_number_++;
}

bool RequestMatcher::answer(std::uint64_t number, Result<control::ReplyBody> reply) {
  const auto asked = waiting_.extract(number);
  if (asked.empty()) return false;
  asked.mapped()(std::move(reply));
  return true;
}

void RequestMatcher::fail(const std::string& why) {
  for (auto& [number, answer] : std::exchange(waiting_, {})) answer(Error{why});
}

}  // namespace dpm
