// Connecting to one of several addresses without ever blocking for long.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

// A socket that does not block, connected to the first address of `host` that answers within `patience`. Gives up at
// once when `wake` becomes readable.
Result<UniqueFd> connect_to(const std::string& host, std::uint16_t port, std::chrono::milliseconds patience, int wake);

}  // namespace dpm
