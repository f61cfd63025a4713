// The messages that a process has waited for in vain. One that comes later belongs to a request that is over for this
// process, so no later wait takes it for an answer to its own.
//
//   wait in a handler   gives up its kinds of the request being handled
//   wait in `start`     gives up its kinds of all requests that the process has begun so far
//
// Only messages that carry a request (request_tag.hpp) can be told apart.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "scenarios/behaviour/parts.hpp"

namespace dpm {

class GivenUp {
 public:
  void begun(std::uint64_t request);
  void give_up(const KindNames& kinds, std::optional<std::uint64_t> request);
  bool includes(std::uint32_t code, std::uint64_t request) const;

 private:
  using CodeOfRequest = std::pair<std::uint64_t, std::uint64_t>;  // request, code

  std::uint64_t begun_count_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> begun_;  // request: its number
  std::deque<std::uint64_t> begun_by_age_;
  std::unordered_map<std::uint64_t, std::uint64_t> begun_before_;  // code: requests up to this number are given up
  std::set<CodeOfRequest> given_up_;
  std::deque<CodeOfRequest> given_up_by_age_;
};

}  // namespace dpm
