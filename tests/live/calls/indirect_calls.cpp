#include "tests/live/calls/indirect_calls.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <iterator>

namespace dpm::cells {
namespace {

class Ring {
 public:
  Ring() {
    io_uring_params parameters{};
    fd_ = static_cast<int>(syscall(SYS_io_uring_setup, 4, &parameters));
    if (fd_ < 0) return;
    char* submission = map(parameters.sq_off.array + parameters.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
    char* completion = map(parameters.cq_off.cqes + parameters.cq_entries * sizeof(io_uring_cqe), IORING_OFF_CQ_RING);
    entries_ = reinterpret_cast<io_uring_sqe*>(map(parameters.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES));
    tail_ = reinterpret_cast<std::atomic<unsigned>*>(submission + parameters.sq_off.tail);
    mask_ = *reinterpret_cast<unsigned*>(submission + parameters.sq_off.ring_mask);
    array_ = reinterpret_cast<unsigned*>(submission + parameters.sq_off.array);
    completed_ = reinterpret_cast<std::atomic<unsigned>*>(completion + parameters.cq_off.head);
    completion_mask_ = *reinterpret_cast<unsigned*>(completion + parameters.cq_off.ring_mask);
    results_ = reinterpret_cast<io_uring_cqe*>(completion + parameters.cq_off.cqes);
  }
  int fd() const { return fd_; }

  long perform(const io_uring_sqe& wanted) {
    if (fd_ < 0) return -1;
    const unsigned tail = tail_->load();
    entries_[tail & mask_] = wanted;
    array_[tail & mask_] = tail & mask_;
    tail_->store(tail + 1);
    if (syscall(SYS_io_uring_enter, fd_, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0) < 0) return -1;
    const unsigned head = completed_->load();
    const int result = results_[head & completion_mask_].res;
    const unsigned flags = results_[head & completion_mask_].flags;
    completed_->store(head + 1);
    if ((flags & IORING_CQE_F_MORE) != 0) {  // a second one says that the memory is free
      syscall(SYS_io_uring_enter, fd_, 0, 1, IORING_ENTER_GETEVENTS, nullptr, 0);
      completed_->store(head + 2);
    }
    if (result >= 0) return result;
    errno = -result;
    return -1;
  }

 private:
  char* map(std::size_t bytes, off_t what) const {
    return static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd_, what));
  }
  int fd_ = -1;
  io_uring_sqe* entries_ = nullptr;
  std::atomic<unsigned>* tail_ = nullptr;
  std::atomic<unsigned>* completed_ = nullptr;
  unsigned mask_ = 0, completion_mask_ = 0;
  unsigned* array_ = nullptr;
  io_uring_cqe* results_ = nullptr;
};

Ring& ring() {
  static Ring one;
  return one;
}

}  // namespace

long by_ring(unsigned char operation, int fd, const void* bytes, std::size_t length, std::uint64_t offset,
             unsigned flags) {
  io_uring_sqe entry{};
  entry.opcode = operation;
  entry.fd = fd;
  entry.addr = reinterpret_cast<unsigned long>(bytes);
  entry.len = static_cast<unsigned>(length);
  entry.off = offset;
  entry.msg_flags = flags;
  return ring().perform(entry);
}

long splice_by_ring(unsigned char operation, int in, int out, std::size_t length) {
  io_uring_sqe entry{};
  entry.opcode = operation;
  entry.fd = out;
  entry.off = entry.splice_off_in = UINT64_MAX;
  entry.splice_fd_in = in;
  entry.len = static_cast<unsigned>(length);
  if (operation == IORING_OP_TEE) entry.off = entry.splice_off_in = 0;
  return ring().perform(entry);
}

long by_ring_registered(unsigned char operation, int fd, char* bytes, std::size_t length) {
  const iovec vector{bytes, kRoom};
  if (ring().fd() < 0) return -1;
  syscall(SYS_io_uring_register, ring().fd(), IORING_REGISTER_BUFFERS, &vector, 1);
  return by_ring(operation, fd, bytes, length, UINT64_MAX);
}

long by_aio(unsigned short operation, int fd, const void* bytes, std::size_t length) {
  static aio_context_t context = 0;
  if (context == 0 && syscall(SYS_io_setup, 4, &context) != 0) return -1;
  iocb block{};
  iocb* blocks[] = {&block};
  block.aio_lio_opcode = operation;
  block.aio_fildes = static_cast<unsigned>(fd);
  block.aio_buf = reinterpret_cast<unsigned long>(bytes);
  block.aio_nbytes = length;
  if (syscall(SYS_io_submit, context, 1, blocks) != 1) return -1;
  io_event event{};
  if (syscall(SYS_io_getevents, context, 1, 1, &event, nullptr) != 1) return -1;
  if (event.res >= 0) return event.res;
  errno = static_cast<int>(-event.res);
  return -1;
}

long call_32(long number, long a, long b, long c) {
  long result = 0;
  asm volatile("int $0x80"
               : "=a"(result)
               : "a"(number), "b"(a), "c"(b), "d"(c), "S"(0), "D"(0)
               : "memory", "r8", "r9", "r10", "r11");
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

namespace {

struct Vector32 {
  std::uint32_t base, length;
};

}  // namespace

long vector_32(char* bytes, std::size_t length) {
  auto* vector = reinterpret_cast<Vector32*>(room + 15 * kRoom);
  *vector = {static_cast<std::uint32_t>(reinterpret_cast<unsigned long>(bytes)), static_cast<std::uint32_t>(length)};
  return reinterpret_cast<long>(vector);
}
long arguments_32(std::initializer_list<long> values) {
  auto* words = reinterpret_cast<std::uint32_t*>(room + 15 * kRoom + 64);
  std::transform(values.begin(), values.end(), words, [](long value) { return static_cast<std::uint32_t>(value); });
  return reinterpret_cast<long>(words);
}

}  // namespace dpm::cells
