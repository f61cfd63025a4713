// What a process keeps with each request. Those of the requests that it has used last are kept, so that a program that runs
// without end does not grow without end; a request that was forgotten begins with the first values again.
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dpm {

class RequestVariables {
 public:
  explicit RequestVariables(const std::vector<double>& first_values) : first_values_(first_values) {}

  std::vector<double>& of(std::uint64_t request) {
    const auto known = places_.find(request);
    if (known != places_.end()) {
      by_use_.splice(by_use_.begin(), by_use_, known->second);
    } else {
      by_use_.emplace_front(request, first_values_);
      places_.emplace(request, by_use_.begin());
    }
    if (by_use_.size() > kRequestsRemembered) {
      places_.erase(by_use_.back().first);
      by_use_.pop_back();
    }
    return by_use_.front().second;
  }

 private:
  static constexpr std::size_t kRequestsRemembered = 100'000;
  using Requests = std::list<std::pair<std::uint64_t, std::vector<double>>>;

  const std::vector<double>& first_values_;
  Requests by_use_;  // the one used last, first
  std::unordered_map<std::uint64_t, Requests::iterator> places_;
};

}  // namespace dpm
