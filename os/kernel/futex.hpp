// Waiting for a word of memory to change, also between processes.
#pragma once

#include <atomic>
#include <cstdint>

namespace dpm {

// Returns when woken, when `word` is not `value`, on a signal, or after `limit_ns` (0: none).
void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value, long limit_ns = 0);
void wake_all(const std::atomic<std::uint32_t>& word);

}  // namespace dpm
