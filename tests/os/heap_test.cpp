// What malloc's arenas grow to when buffers come and go between small objects.
#include "os/heap.hpp"

#include <malloc.h>
#include <unistd.h>

#include <cstddef>
#include <deque>
#include <fstream>
#include <memory>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"

namespace dpm {
namespace {

constexpr std::size_t kLivingMax = 8000, kLeastBytes = 30, kRangeBytes = 600;

// As a meter does: buffers of all lengths grow while small objects are made, and a few of them wait for their reader.
// Small objects live longer, and half of them are freed at once.
std::size_t arena_bytes_after_many_buffers() {
  constexpr int kBuffers = 8000;
  constexpr std::size_t kWaiting = 3;
  std::deque<std::unique_ptr<std::byte[]>> living;
  std::deque<std::vector<std::byte>> waiting;
  std::size_t state = 1;
  const auto number_below = [&state](std::size_t limit) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % limit;
  };
  for (int i = 0; i < kBuffers; ++i) {
    const std::size_t length = 20'000 + number_below(60'000), each_bytes = 600 + number_below(200);
    std::vector<std::byte>& buffer = waiting.emplace_back();
    while (buffer.size() < length) {
      buffer.resize(buffer.size() + each_bytes);
      living.push_back(std::make_unique<std::byte[]>(kLeastBytes + number_below(kRangeBytes)));
    }
    if (waiting.size() > kWaiting) waiting.pop_front();
    if (living.size() > kLivingMax) living.erase(living.begin(), living.end() - kLivingMax / 2);
  }
  return ::mallinfo2().arena;
}

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t size_pages = 0, resident_pages = 0;
  statm >> size_pages >> resident_pages;
  return resident_pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

TEST_CASE("heap: buffers that come and go do not make the arenas of small objects grow", "[os]") {
  if (test::kUnderSanitizer) return;  // its malloc has no arenas
  keep_buffers_apart();
  const std::size_t arena_bytes = arena_bytes_after_many_buffers();
  constexpr std::size_t kHeadBytes = 16;
  const std::size_t used_bytes_max = kLivingMax * (kLeastBytes + kRangeBytes / 2 + kHeadBytes);
  INFO(arena_bytes << " bytes in arenas for " << used_bytes_max << " in use at most");
  CHECK(arena_bytes < used_bytes_max + used_bytes_max / 3);
}

TEST_CASE("heap: what is given back does not count as memory of the process any more", "[os]") {
  if (test::kUnderSanitizer) return;
  constexpr std::size_t kObjects = 40'000, kKeptEach = 100;
  std::deque<std::unique_ptr<std::byte[]>> objects;
  for (std::size_t i = 0; i < kObjects; ++i) objects.push_back(std::make_unique<std::byte[]>(kRangeBytes));
  for (std::size_t i = 0; i < kObjects; ++i)
    if (i % kKeptEach != 0) objects[i].reset();  // the end of the heap is kept: only pages between can be free
  objects.push_back(std::make_unique<std::byte[]>(kRangeBytes));
  const std::size_t before_bytes = resident_bytes();
  give_back_free_memory();
  CHECK(resident_bytes() + kObjects * kRangeBytes / 2 < before_bytes);
}

}  // namespace dpm
