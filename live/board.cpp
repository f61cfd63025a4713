#include "live/board.hpp"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <new>
#include <utility>

#include "model/check.hpp"

namespace dpm::live {
namespace {

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

constexpr std::size_t kRowsAt = 64;  // a cache line for the gate

}  // namespace

void BoardRow::change(Doing now) {
  doing.store(now, std::memory_order_relaxed);
  changes.fetch_add(1, std::memory_order_release);
}

KindCount& BoardRow::kind(std::uint32_t code) {
  for (std::uint32_t i = 0; i < kinds_used; ++i)
    if (kinds[i].code == code) return kinds[i];
  if (kinds_used == kKinds) return kinds.back();
  kinds[kinds_used].code = code;
  return kinds[kinds_used++];
}

Result<Board> Board::create(std::size_t processes) {
  const std::size_t bytes = kRowsAt + processes * sizeof(BoardRow) + processes * processes * sizeof(PeerCount);
  // Not reserved: of the table of peers only the rows of those who speak are ever touched.
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return Error::from_errno("share " + std::to_string(bytes) + " bytes of memory among " + std::to_string(processes) +
                             " processes");
  return Board(memory, bytes, processes);
}

Board::Board(void* memory, std::size_t bytes, std::size_t processes) : memory_(memory), bytes_(bytes) {
  static_assert(sizeof(Gate) <= kRowsAt && sizeof(BoardRow) % alignof(PeerCount) == 0);
  auto* at = static_cast<std::byte*>(memory);
  gate_ = new (at) Gate;
  constexpr int kSharedAmongProcesses = 1;
  DPM_CHECK(::sem_init(&gate_->passes, kSharedAmongProcesses, 0) == 0);
  auto* rows = reinterpret_cast<BoardRow*>(at + kRowsAt);
  for (std::size_t i = 0; i < processes; ++i) new (rows + i) BoardRow;
  rows_ = {rows, processes};
  peers_ = {reinterpret_cast<PeerCount*>(rows + processes), processes * processes};  // zero bytes are zero counts
}

Board::Board(Board&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      bytes_(other.bytes_),
      gate_(other.gate_),
      rows_(other.rows_),
      peers_(other.peers_) {}

Board::~Board() {
  if (memory_ != nullptr) ::munmap(memory_, bytes_);
}

void Board::wait_at_gate() {
  gate_->waiting.fetch_add(1);
  while (::sem_wait(&gate_->passes) != 0) {
  }
}

std::size_t Board::waiting_at_gate() const { return gate_->waiting.load(); }

void Board::open_gate() {
  for (std::size_t i = 0; i < rows_.size(); ++i) ::sem_post(&gate_->passes);
}

std::int64_t monotonic_ns() { return clock_ns(CLOCK_MONOTONIC); }
std::int64_t own_cpu_ns() { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace dpm::live
