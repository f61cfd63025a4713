#include "backends/linux/bpf/record_order.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace dpm {

// All kinds of records begin with their time and kind.
std::uint64_t RecordOrder::time_of(Record record) {
  constexpr std::uint64_t kTimeMask = (std::uint64_t{1} << 56) - 1;
  std::uint64_t word = 0;
  std::memcpy(&word, record.data(), sizeof word);
  return word & kTimeMask;
}

void RecordOrder::add(Record record, bool is_news) {
  constexpr std::size_t kAlignment = 8;
  const std::size_t at = bytes_.size();
  bytes_.resize(at + (record.size() + kAlignment - 1) / kAlignment * kAlignment);
  std::memcpy(bytes_.data() + at, record.data(), record.size());
  kept_.push_back({time_of(record), at, record.size(), is_news});
}

const std::vector<RecordOrder::Record>& RecordOrder::up_to(std::uint64_t time_ns) {
  std::stable_sort(kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) {
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.is_news && !b.is_news;
  });
  delivered_.swap(bytes_);
  bytes_.clear();
  ready_.clear();
  std::vector<Kept> all;
  all.swap(kept_);
  for (const Kept& record : all) {
    const Record bytes(delivered_.data() + record.at, record.size);
    if (record.time_ns <= time_ns) {
      ready_.push_back(bytes);
    } else {
      add(bytes, record.is_news);
    }
  }
  return ready_;
}

}  // namespace dpm
