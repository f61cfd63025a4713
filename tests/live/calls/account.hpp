// What a process of a cell has done, as the lines that it writes at its end.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

namespace dpm::cells {

inline constexpr std::size_t kBytes = 300, kSegmentedBytes = 1000, kSegmentBytes = 100, kRoom = 4096,
                             kFullBytes = 60'000;
inline constexpr int kTakesMs = 20, kNothingMoreMs = 30;
inline constexpr unsigned kEndsWithinS = 8;
inline constexpr std::uint64_t kUnits = 3;

inline char* room = nullptr;  // below 4 GiB, so that 32-bit calls can name it

inline std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

inline void pause_ms(int milliseconds) {
  const timespec time{0, milliseconds * 1'000'000L};
  nanosleep(&time, nullptr);
}

struct Account {
  std::string cell;
  char role = 'R';
  std::string text;
  int calls = 0;
  bool was_refused = false;

  void moved(long bytes, std::int64_t from_ns, std::int64_t to_ns) {
    text += "op " + cell + " " + role + " " + std::to_string(getpid()) + " " + std::to_string(bytes) + " " +
            std::to_string(from_ns) + " " + std::to_string(to_ns) + "\n";
  }
  // Of the cell's own other side: 'r' received, 's' sent.
  void also(char side, long bytes, std::int64_t from_ns) {
    const char own = std::exchange(role, side);
    moved(bytes, from_ns, now_ns());
    role = own;
  }
  void refused(int error) {
    if (was_refused) return;
    was_refused = true;
    text += "refused " + cell + " " + role + " " + std::to_string(getpid()) + " " + strerrorname_np(error) + "\n";
  }
  void write_to(int file) {
    if (calls > 0)
      text += "calls " + cell + " " + role + " " + std::to_string(getpid()) + " " + std::to_string(calls) + "\n";
    [[maybe_unused]] const ssize_t written = write(file, text.data(), text.size());
  }
};

}  // namespace dpm::cells
