#include "trace/segment_queue.hpp"

namespace dpm {

bool SegmentQueue::takes(std::int64_t now_ns, std::int64_t length_ns) const {
  return !open().has_begun || now_ns - open().first_ns < length_ns;
}

void SegmentQueue::note_record(std::int64_t now_ns) {
  Segment& open = segments_.back();
  if (!open.has_begun) open.first_ns = now_ns;
  open.has_begun = true;
  open.last_ns = now_ns;
}

// One of which the disk has refused every record has no file: its name is used again.
void SegmentQueue::close() {
  Segment next{{open().name.stream, open().name.before + open().records}};
  if (open().records == 0) segments_.pop_back();
  segments_.push_back(std::move(next));
}

std::vector<Segment> SegmentQueue::take_older_than(std::int64_t instant_ns) {
  std::vector<Segment> old;
  while (segments_.size() > 1 && segments_.front().last_ns < instant_ns) {
    old.push_back(std::move(segments_.front()));
    segments_.pop_front();
  }
  return old;
}

std::vector<Segment> SegmentQueue::on_disk() const {
  std::vector<Segment> segments;
  for (const Segment& segment : segments_)
    if (segment.records > 0) segments.push_back(segment);
  if (segments.empty()) segments.push_back(open());
  return segments;
}

std::optional<std::int64_t> SegmentQueue::first_ns() const {
  return segments_.front().has_begun ? std::optional(segments_.front().first_ns) : std::nullopt;
}

std::optional<std::int64_t> SegmentQueue::oldest_last_ns() const {
  return segments_.front().has_begun ? std::optional(segments_.front().last_ns) : std::nullopt;
}

}  // namespace dpm
