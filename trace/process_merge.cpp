#include "trace/process_merge.hpp"

#include <cstdint>
#include <optional>

namespace dpm {
namespace {

bool is_migration(const Event& event, EventType type) {
  return event.type == type && (event.flags & event_flags::kMigration) != 0;
}

// Lower goes first among equal process times.
int rank(const Event& head, std::size_t stream, std::optional<std::size_t> current, bool has_left) {
  const bool is_current = current == stream;
  if (is_migration(head, EventType::start_process)) return is_current ? 4 : (has_left ? 0 : 3);
  return is_current ? 1 : 2;
}

}  // namespace

std::vector<Event> merge_streams_of_process(std::span<const std::vector<Event>> streams) {
  std::vector<Event> merged;
  std::vector<std::size_t> next(streams.size());
  std::optional<std::size_t> current;
  bool has_left = false;  // the last event was the stop of a migration
  while (true) {
    std::optional<std::size_t> first;
    int first_rank = 0;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (next[i] == streams[i].size()) continue;
      const Event& head = streams[i][next[i]];
      const int head_rank = rank(head, i, current, has_left);
      const bool earlier = !first || head.proc_time_ns < streams[*first][next[*first]].proc_time_ns ||
                           (head.proc_time_ns == streams[*first][next[*first]].proc_time_ns && head_rank < first_rank);
      if (!earlier) continue;
      first = i;
      first_rank = head_rank;
    }
    if (!first) return merged;
    merged.push_back(streams[*first][next[*first]++]);
    current = first;
    has_left = is_migration(merged.back(), EventType::stop_process);
  }
}

}  // namespace dpm
