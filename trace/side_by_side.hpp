// Streams that are read side by side, and not one after another: what one machine sends, another receives soon, so that analyses
// have few messages open at a time, and find them in the cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace dpm {

inline constexpr std::size_t kSideBySide = 32;  // streams: each has a file open

// A packet of the stream that is least far, each time, until all have ended: read_packet(cursor, place) is false at a stream's
// end. How far a cursor is, part_read() says, from 0 to 1; machines share no clock.
template <typename Cursor, typename ReadPacket>
void read_side_by_side(std::vector<Cursor>& cursors, ReadPacket&& read_packet) {
  std::vector<std::size_t> unread(cursors.size());
  std::iota(unread.begin(), unread.end(), std::size_t{0});
  const auto is_behind = [&](std::size_t a, std::size_t b) { return cursors[a].part_read() < cursors[b].part_read(); };
  while (!unread.empty()) {
    const auto next = std::min_element(unread.begin(), unread.end(), is_behind);
    if (!read_packet(cursors[*next], *next)) unread.erase(next);
  }
}

}  // namespace dpm
