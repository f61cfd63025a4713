#include "os/kernel/stack_events.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "os/local_clock.hpp"
#include "os/read_file.hpp"

namespace dpm {
namespace {

// With the page for both sides it is what an ordinary account may lock (kernel.perf_event_mlock_kb), a power of two.
constexpr std::size_t kRingPagesMost = 128, kRingPagesLeast = 4;
constexpr std::size_t kRecordBytesMost = 8192;  // of a mapping with a long path; a stack has 1.1 KB at most

std::size_t page_bytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

// What all events have in common that write into the same ring.
perf_event_attr attributes_of(std::uint64_t software_event) {
  perf_event_attr attributes = {};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = software_event;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  return attributes;
}

int open_event(perf_event_attr& attributes, pid_t task, int cpu) {
  return static_cast<int>(::syscall(SYS_perf_event_open, &attributes, task, cpu, -1, PERF_FLAG_FD_CLOEXEC));
}

Error refusal(int error_number) {
  errno = error_number;
  const auto refused = Error::from_errno("sample call stacks (perf_event_open)");
  if (error_number != EACCES && error_number != EPERM) return refused;
  const int paranoid = std::atoi(read_file("/proc/sys/kernel/perf_event_paranoid").c_str());
  const std::string remedy =
      paranoid > 2 ? "run dpm as root, or as root set 'sysctl kernel.perf_event_paranoid=2'"
                   : "which allows it, so the seccomp profile of a container (allow it with '--cap-add PERFMON') or a "
                     "security module refuses";
  return Error{fmt::format("{}; kernel.perf_event_paranoid is {}: {}", refused.what, paranoid, remedy)};
}

}  // namespace

StackEvents::Ring::Ring(Ring&& other) noexcept
    : cpu_(other.cpu_),
      event_(std::move(other.event_)),
      memory_(std::exchange(other.memory_, nullptr)),
      bytes_(other.bytes_) {}

StackEvents::Ring::~Ring() {
  if (memory_ != nullptr) ::munmap(memory_, bytes_ + page_bytes());
}

std::uint64_t StackEvents::Ring::read(std::vector<std::byte>& buffer, std::vector<StackRecord>& records) {
  auto* shared = static_cast<perf_event_mmap_page*>(memory_);
  const std::uint64_t head = std::atomic_ref<__u64>(shared->data_head).load(std::memory_order_acquire);
  const std::uint64_t tail = shared->data_tail;
  if (head == tail) return 0;
  const auto* data = static_cast<const std::byte*>(memory_) + page_bytes();
  const auto count = static_cast<std::size_t>(head - tail);
  const std::size_t from = tail % bytes_, straight = std::min(count, bytes_ - from);
  buffer.assign(data + from, data + from + straight);
  buffer.insert(buffer.end(), data, data + (count - straight));
  std::atomic_ref<__u64>(shared->data_tail).store(head, std::memory_order_release);
  const std::uint64_t damaged = read_stack_records(buffer, records);
  // The kernel reports a loss with the next record only.
  if (bytes_ - count < kRecordBytesMost)
    records.push_back({.kind = StackRecord::Kind::lost, .time_ns = static_cast<std::uint64_t>(steady_clock_ns())});
  return damaged;
}

Result<StackEvents::Ring> StackEvents::make_ring(int cpu, UniqueFd event) {
  for (std::size_t pages = kRingPagesMost; pages >= kRingPagesLeast; pages /= 2) {
    const std::size_t bytes = pages * page_bytes();
    void* memory = ::mmap(nullptr, bytes + page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, event.get(), 0);
    if (memory != MAP_FAILED) return Ring(cpu, std::move(event), memory, bytes);
    if (errno != EPERM && errno != ENOMEM) break;
  }
  return Error::from_errno(
      "make a ring for call stacks (kernel.perf_event_mlock_kb is the memory for all of an account)");
}

Result<StackEvents> StackEvents::open() {
  StackEvents events;
  events.ready_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
  if (!events.ready_) return Error::from_errno("make an epoll descriptor");
  const auto cpus = static_cast<int>(::sysconf(_SC_NPROCESSORS_CONF));
  for (int cpu = 0; cpu < cpus; ++cpu) {
    perf_event_attr attributes = attributes_of(PERF_COUNT_SW_DUMMY);
    attributes.watermark = 1;  // which is half of the ring, if none is given
    UniqueFd event(open_event(attributes, 0, cpu));
    if (!event && errno == ENODEV) continue;  // this CPU is not there now
    if (!event) return refusal(errno);
    auto ring = make_ring(cpu, std::move(event));
    if (!ring) return ring.error();
    epoll_event wanted = {.events = EPOLLIN, .data = {}};
    if (::epoll_ctl(events.ready_.get(), EPOLL_CTL_ADD, ring->event(), &wanted) != 0)
      return Error::from_errno("wait for call stacks");
    events.rings_.push_back(*std::move(ring));
  }
  return events;
}

UniqueFd StackEvents::open_for(std::uint32_t tid, int cpu, Begin begin) {
  perf_event_attr attributes = attributes_of(PERF_COUNT_SW_TASK_CLOCK);
  attributes.sample_period = kInterval_ns;
  attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN;
  attributes.read_format = tells_losses_ ? PERF_FORMAT_LOST : 0;
  attributes.exclude_callchain_kernel = 1;
  attributes.inherit = 1;
  attributes.sample_id_all = 1;
  attributes.mmap = attributes.mmap2 = attributes.comm = attributes.comm_exec = attributes.task = 1;
  attributes.disabled = 1;
  attributes.enable_on_exec = begin == Begin::at_exec ? 1 : 0;
  UniqueFd event(open_event(attributes, static_cast<pid_t>(tid), cpu));
  if (event || errno != EINVAL || !tells_losses_) return event;
  tells_losses_ = false;
  return open_for(tid, cpu, begin);
}

StackEvents::Attached StackEvents::attach(std::uint32_t tid, Begin begin) {
  if (events_.size() >= release_at_) release_ended();
  std::vector<UniqueFd> opened;
  for (const Ring& ring : rings_) {
    UniqueFd event = open_for(tid, ring.cpu(), begin);
    if (!event && errno == ENODEV) continue;
    if (!event && errno == ESRCH) return Attached::gone;
    if (!event) return errno == EMFILE || errno == ENFILE ? Attached::no_descriptors : Attached::refused;
    if (::ioctl(event.get(), PERF_EVENT_IOC_SET_OUTPUT, ring.event()) != 0) return Attached::refused;
    opened.push_back(std::move(event));
  }
  for (auto& event : opened) {
    if (begin == Begin::now) ::ioctl(event.get(), PERF_EVENT_IOC_ENABLE, 0);
    events_.push_back(std::move(event));
  }
  return Attached::yes;
}

std::uint64_t StackEvents::read(std::vector<StackRecord>& records) {
  std::uint64_t damaged = 0;
  for (Ring& ring : rings_) damaged += ring.read(buffer_, records);
  return damaged;
}

void StackEvents::add(const UniqueFd& event, Sums& sums) {
  std::array<std::uint64_t, 2> values = {};
  if (::read(event.get(), values.data(), sizeof values) <= 0) return;
  sums.cpu_ns += values[0];
  sums.lost_records += values[1];
}

StackEvents::Sums StackEvents::sums() const {
  Sums sums = released_;
  for (const UniqueFd& event : events_) add(event, sums);
  return sums;
}

// An event hangs up when its thread and all that inherited it have ended.
void StackEvents::release_ended() {
  std::erase_if(events_, [&](const UniqueFd& event) {
    pollfd state = {event.get(), 0, 0};
    if (::poll(&state, 1, 0) <= 0 || (state.revents & POLLHUP) == 0) return false;
    add(event, released_);
    return true;
  });
  release_at_ = std::max<std::size_t>(1024, 2 * events_.size());
}

}  // namespace dpm
