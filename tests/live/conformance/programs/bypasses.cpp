// Communication that bypasses the meter: it must be reported at the end, and never be silently missing.
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <new>

#include "tests/live/conformance/support/cases.hpp"
#include "tests/live/conformance/support/media.hpp"

namespace dpm {
namespace {

using Room = std::array<char, 1000>;

// Rings and shared memory are looked for now and then, not at every call.
constexpr int kSurveyMs = 200;

// The least of an io_uring: one operation at a time.
class Ring {
 public:
  Ring() {
    io_uring_params parameters{};
    fd_ = static_cast<int>(syscall(SYS_io_uring_setup, 4, &parameters));
    if (fd_ < 0) return;
    const std::size_t submission_bytes = parameters.sq_off.array + parameters.sq_entries * sizeof(unsigned);
    const std::size_t completion_bytes = parameters.cq_off.cqes + parameters.cq_entries * sizeof(io_uring_cqe);
    char* submission = map(submission_bytes, IORING_OFF_SQ_RING);
    char* completion = map(completion_bytes, IORING_OFF_CQ_RING);
    entries_ = reinterpret_cast<io_uring_sqe*>(map(parameters.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES));
    tail_ = reinterpret_cast<std::atomic<unsigned>*>(submission + parameters.sq_off.tail);
    mask_ = *reinterpret_cast<unsigned*>(submission + parameters.sq_off.ring_mask);
    array_ = reinterpret_cast<unsigned*>(submission + parameters.sq_off.array);
    completed_ = reinterpret_cast<std::atomic<unsigned>*>(completion + parameters.cq_off.head);
    completion_mask_ = *reinterpret_cast<unsigned*>(completion + parameters.cq_off.ring_mask);
    results_ = reinterpret_cast<io_uring_cqe*>(completion + parameters.cq_off.cqes);
  }

  bool there() const { return fd_ >= 0; }

  int perform(unsigned char operation, int fd, void* bytes, unsigned length) {
    const unsigned tail = tail_->load();
    io_uring_sqe& entry = entries_[tail & mask_];
    entry = {};
    entry.opcode = operation;
    entry.fd = fd;
    entry.addr = reinterpret_cast<unsigned long>(bytes);
    entry.len = length;
    array_[tail & mask_] = tail & mask_;
    tail_->store(tail + 1);
    must(static_cast<int>(syscall(SYS_io_uring_enter, fd_, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0)),
         "io_uring_enter");
    const unsigned head = completed_->load();
    const int result = results_[head & completion_mask_].res;
    completed_->store(head + 1);
    return result;
  }

 private:
  char* map(std::size_t bytes, off_t what) const {
    void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd_, what);
    if (address == MAP_FAILED) must(-1, "mmap of the ring");
    return static_cast<char*>(address);
  }

  int fd_ = -1;
  io_uring_sqe* entries_ = nullptr;
  std::atomic<unsigned>* tail_ = nullptr;
  std::atomic<unsigned>* completed_ = nullptr;
  unsigned mask_ = 0, completion_mask_ = 0;
  unsigned* array_ = nullptr;
  io_uring_cqe* results_ = nullptr;
};

// Half of the bytes by io_uring, half by calls. Where the ring is not seen, the offsets of TCP show that bytes are missing,
// and where.
void uring(const Actor& actor) {
  Ring ring;
  if (!ring.there()) {
    actor.says("no io_uring here");
    return;
  }
  const Ends ends = medium("tcp4").connect(actor);
  Room room{};
  actor.expect_by("notify", "SAID", 0, "io_uring is used");
  actor.sends(ends.a, "write", [&] { return write(ends.a.fd, room.data(), 101); });
  // With more room, the call might have received what the ring received after it.
  actor.receives(ends.b, "read", [&] { return read(ends.b.fd, room.data(), 101); });
  actor.result("send by the ring", ring.perform(IORING_OP_SEND, ends.a.fd, room.data(), 203));
  actor.expect_by("ebpf", "SEND", 203, ends.a.out);
  actor.result("receive by the ring", ring.perform(IORING_OP_RECV, ends.b.fd, room.data(), 1000));
  actor.expect_by("ebpf", "RECEIVECALL", 0, ends.b.in);
  actor.expect_by("ebpf", "RECEIVE", 203, ends.b.in);
  actor.expect_by("notify", "GAP", 203, ends.a.out);
  actor.sends(ends.a, "write", [&] { return write(ends.a.fd, room.data(), 307); });
  actor.expect_by("notify", "GAP", 203, ends.b.in);
  actor.receives(ends.b, "read", [&] { return read(ends.b.fd, room.data(), room.size()); });
  pause_ms(kSurveyMs);
}

void shared_memory(const Actor& actor) {
  void* memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) must(-1, "mmap");
  actor.expect("SAID", 0, "memory is shared");
  auto* value = new (memory) std::atomic<int>(0);
  const pid_t child = actor.forks("child", [&](const Actor&) {
    value->store(1);
    while (value->load() != 2) pause_ms(1);
    pause_ms(kSurveyMs);
    value->store(3);
    return 0;
  });
  while (value->load() != 1) pause_ms(1);
  value->store(2);
  while (value->load() != 3) pause_ms(1);
  actor.result("said by shared memory", value->load());
  const Ends ends = medium("unix_stream").connect(actor);
  actor.sends(ends.a, "write", [&] { return write(ends.a.fd, "hello", 5); });
  actor.waits_for(child, "child");
}

// Pages given to a pipe are sent.
void pages_given(const Actor& actor) {
  const Ends ends = medium("pipe").connect(actor);
  static std::array<char, 4096> page{};
  Room room{};
  const iovec vector{page.data(), 211};
  actor.sends(ends.a, "vmsplice", [&] { return vmsplice(ends.a.fd, &vector, 1, 0); });
  actor.receives(ends.b, "read", [&] { return read(ends.b.fd, room.data(), room.size()); });
  actor.sends(ends.a, "write", [&] { return write(ends.a.fd, room.data(), 223); });
  actor.receives(ends.b, "read", [&] { return read(ends.b.fd, room.data(), room.size()); });
}

constexpr std::array kCases = {
    Case{"uring", uring},
    Case{"shared_memory", shared_memory},
    Case{"pages_given", pages_given},
};

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) { return dpm::play_case(dpm::kCases, argc, argv); }
