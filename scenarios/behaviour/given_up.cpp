#include "scenarios/behaviour/given_up.hpp"

namespace dpm {
namespace {

constexpr std::size_t kCallsRemembered = 100'000;  // so that a program that runs without end does not grow without end
constexpr std::uint64_t kAnyCode = 1ull << 32;

std::uint64_t code_of(const KindName& kind) { return kind.any ? kAnyCode : kind.code; }

}  // namespace

void GivenUp::begun(std::uint64_t request) {
  if (!begun_.emplace(request, ++begun_count_).second) return;
  begun_by_age_.push_back(request);
  if (begun_by_age_.size() <= kCallsRemembered) return;
  begun_.erase(begun_by_age_.front());
  begun_by_age_.pop_front();
}

void GivenUp::give_up(const KindNames& kinds, std::optional<std::uint64_t> request) {
  for (const KindName& kind : kinds) {
    if (!request) {
      begun_before_[code_of(kind)] = begun_count_;
    } else if (given_up_.emplace(*request, code_of(kind)).second) {
      given_up_by_age_.emplace_back(*request, code_of(kind));
    }
  }
  for (; given_up_by_age_.size() > kCallsRemembered; given_up_by_age_.pop_front())
    given_up_.erase(given_up_by_age_.front());
}

bool GivenUp::includes(std::uint32_t code, std::uint64_t request) const {
  if (!given_up_.empty() && (given_up_.count({request, code}) != 0 || given_up_.count({request, kAnyCode}) != 0))
    return true;
  const auto number = begun_.find(request);
  if (number == begun_.end()) return false;
  for (const std::uint64_t each : {std::uint64_t{code}, kAnyCode})
    if (const auto before = begun_before_.find(each); before != begun_before_.end() && number->second <= before->second)
      return true;
  return false;
}

}  // namespace dpm
