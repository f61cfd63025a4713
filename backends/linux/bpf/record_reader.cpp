#include "backends/linux/bpf/record_reader.hpp"

#include <bpf/libbpf.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "model/check.hpp"

namespace dpm {
struct RecordReader::Ring {
  // At a time: what is made of more would not stay in the caches, and its memory would grow with each flood.
  static constexpr std::size_t kRecordsMax = 16'384;

  RecordReader* reader = nullptr;
  ring_buffer* buffer = nullptr;
  bool is_news = false;
  std::size_t records = 0;
  std::uint64_t last_ns = 0;

  static int take(void* context, void* data, std::size_t size) {
    Ring& ring = *static_cast<Ring*>(context);
    const RecordOrder::Record record(static_cast<const std::byte*>(data), size);
    ring.last_ns = RecordOrder::time_of(record);
    ring.reader->order_.add(record, ring.is_news);
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

const std::vector<RecordReader::Record>& RecordReader::drain(std::int64_t now_ns, bool everything) {
  const std::uint64_t until_ns = std::exchange(last_drain_ns_, static_cast<std::uint64_t>(now_ns));
  left_from_ns_ = UINT64_MAX;
  for (const auto& ring : rings_) {
    ring->records = 0;
    ::ring_buffer__consume(ring->buffer);
    if (ring->records >= Ring::kRecordsMax) left_from_ns_ = std::min(left_from_ns_, ring->last_ns);
  }
  return order_.up_to(everything ? left_from_ns_ : std::min(until_ns, left_from_ns_));
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
