// Which processes have sent a message of a request, so that a message can go to the one that did so last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace dpm {

class Requesters {
 public:
  void sent(std::uint64_t request, std::size_t sender);
  // The last sender that fits.
  std::optional<std::size_t> latest(std::uint64_t request, const std::function<bool(std::size_t)>& fits) const;

 private:
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> senders_;  // by request, the latest last
  std::deque<std::uint64_t> by_age_;
};

}  // namespace dpm
