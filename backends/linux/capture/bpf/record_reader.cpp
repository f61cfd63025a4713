#include "backends/linux/capture/bpf/record_reader.hpp"

#include <bpf/libbpf.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "model/check.hpp"

namespace dpm {
namespace {

// All kinds of records begin with their time and kind.
std::uint64_t time_of(const void* record) {
  constexpr std::uint64_t kTimeMask = (std::uint64_t{1} << 56) - 1;
  std::uint64_t word = 0;
  std::memcpy(&word, record, sizeof word);
  return word & kTimeMask;
}

}  // namespace

struct RecordReader::Ring {
  static constexpr std::size_t kRecordsMax = 100'000;  // at a time

  RecordReader* reader = nullptr;
  ring_buffer* buffer = nullptr;
  bool is_news = false;
  std::size_t records = 0;
  std::uint64_t last_ns = 0;

  static int take(void* context, void* data, std::size_t size) {
    Ring& ring = *static_cast<Ring*>(context);
    ring.last_ns = time_of(data);
    ring.reader->take(data, size, ring.is_news);
    return ++ring.records < kRecordsMax ? 0 : -1;
  }
};

RecordReader::RecordReader(KernelPrograms& programs) : programs_(programs), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  for (const int fd : programs.rings()) {
    auto ring = std::make_unique<Ring>();
    ring->reader = this;
    ring->buffer = ::ring_buffer__new(fd, Ring::take, ring.get(), nullptr);
    DPM_CHECK(ring->buffer != nullptr);
    epoll_event event = {};
    event.events = EPOLLIN | EPOLLET;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
    rings_.push_back(std::move(ring));
  }
  rings_.back()->is_news = true;
}

RecordReader::~RecordReader() {
  for (const auto& ring : rings_) ::ring_buffer__free(ring->buffer);
  ::close(epoll_);
}

void RecordReader::take(const void* data, std::size_t size, bool is_news) {
  const std::size_t at = bytes_.size();
  bytes_.resize(at + (size + 7) / 8 * 8);
  std::memcpy(bytes_.data() + at, data, size);
  kept_.push_back({time_of(data), at, size, is_news});
}

const std::vector<RecordReader::Record>& RecordReader::drain(std::int64_t now_ns, bool everything) {
  bytes_.swap(later_bytes_);
  kept_.swap(later_);
  auto until_ns = static_cast<std::uint64_t>(now_ns);
  for (const auto& ring : rings_) {
    ring->records = 0;
    ::ring_buffer__consume(ring->buffer);
    if (ring->records >= Ring::kRecordsMax) until_ns = std::min(until_ns, ring->last_ns);
  }
  if (everything) until_ns = UINT64_MAX;
  std::stable_sort(kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) {
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.is_news && !b.is_news;
  });
  ready_.clear();
  later_.clear();
  later_bytes_.clear();
  for (const Kept& record : kept_) {
    if (record.time_ns <= until_ns) {
      ready_.emplace_back(bytes_.data() + record.at, record.size);
      continue;
    }
    later_.push_back({record.time_ns, later_bytes_.size(), record.size, record.is_news});
    const auto* from = bytes_.data() + record.at;
    later_bytes_.insert(later_bytes_.end(), from, from + (record.size + 7) / 8 * 8);
  }
  delivered_.swap(bytes_);
  bytes_.clear();
  kept_.clear();
  return ready_;
}

// A record that comes just before the flag is set does not wake the reader: then it is read when the time has passed.
void RecordReader::sleep(std::int64_t nanoseconds, bool until_first) {
  std::array<epoll_event, 8> events;
  programs_.shared().reader_sleeps = until_first ? 1 : 0;
  const timespec limit{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  ::epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()), &limit, nullptr);
  programs_.shared().reader_sleeps = 0;
}

}  // namespace dpm
