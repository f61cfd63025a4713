// The CALLs that a process has taken and not answered, by request.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/message_calls.hpp"

namespace dpm {

class OpenCalls {
 public:
  void add(std::uint64_t request, const Message& message) { calls_[request].push_back(message); }

  // `current`, if it is an open CALL of the request, or the latest one; it is open no longer.
  std::optional<Message> take(std::uint64_t request, const Message& current);
  // `message` will not be answered.
  void forget(std::uint64_t request, const Message& message);

 private:
  std::unordered_map<std::uint64_t, std::vector<Message>> calls_;
};

}  // namespace dpm
