// Sizes as people write them.
#pragma once

#include <cstdint>
#include <string>

#include "model/result.hpp"

namespace dpm {

// "100", "100B", "64k", "64KiB", "1.5M", "2GB", of any case: k is 1024. The error says what is expected.
Result<std::uint64_t> bytes_from(const std::string& text);

}  // namespace dpm
