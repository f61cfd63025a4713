// The segments of one stream, from the oldest that is on disk to the open one, and when each was recorded. No I/O.
//
// Times are of the recorder's clock. A segment takes records for a limited time from its first. It is older than an
// instant when its last record is.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "trace/segment_name.hpp"

namespace dpm {

struct Segment {
  SegmentName name;
  std::uint64_t records = 0;  // on disk
  std::int64_t first_ns = 0, last_ns = 0;
  bool has_begun = false;  // a record is in it, or in memory for it
};

class SegmentQueue {
 public:
  explicit SegmentQueue(std::string stream) : segments_(1, Segment{{std::move(stream), 0}}) {}

  const Segment& open() const { return segments_.back(); }
  // Whether a record of now belongs to the open segment, if segments take records for `length_ns`.
  bool takes(std::int64_t now_ns, std::int64_t length_ns) const;
  void note_record(std::int64_t now_ns);
  void wrote(std::uint64_t records) { segments_.back().records += records; }
  // The next record begins another segment.
  void close();

  // Removes the closed segments that are older, and returns those that have a file.
  std::vector<Segment> take_older_than(std::int64_t instant_ns);

  // Those with records. If none has, the open one: its name says how many were removed.
  std::vector<Segment> on_disk() const;
  std::uint64_t removed() const { return segments_.front().name.before; }
  // The first and the last record of the oldest segment; none if there is not a record.
  std::optional<std::int64_t> first_ns() const;
  std::optional<std::int64_t> oldest_last_ns() const;

 private:
  std::deque<Segment> segments_;  // never empty
};

}  // namespace dpm
