// --for: a metering that ends after a time.
#pragma once

#include <optional>

#include "model/time.hpp"
#include "os/unique_fd.hpp"

namespace dpm::cli {

// Readable when the time has passed; empty if there is no limit.
UniqueFd timer_after(const std::optional<Duration>& limit);

}  // namespace dpm::cli
