#include "scenarios/native/board.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

namespace dpm::native {
namespace {

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

// Where things are in a row, and a row in the file.
constexpr std::int64_t kCountsAt = sizeof(ProcessState);
constexpr std::int64_t kPeersAt = kCountsAt + sizeof(ProcessCounts);

// A process can send to each, and to the process manager.
std::size_t peers_of(std::size_t processes) { return processes + 1; }

std::int64_t begin_of_row(std::size_t process, std::size_t processes) {
  const auto peers_bytes = static_cast<std::int64_t>(peers_of(processes) * sizeof(PeerCount));
  return static_cast<std::int64_t>(process) * (kPeersAt + peers_bytes);
}

// What was never written is zero: nothing has happened yet.
void read_at(int file, std::int64_t at, void* memory, std::size_t bytes) {
  while (::pread(file, memory, bytes, at) < 0 && errno == EINTR) {
  }
}

void write_at(int file, std::int64_t at, const void* memory, std::size_t bytes) {
  while (::pwrite(file, memory, bytes, at) < 0 && errno == EINTR) {
  }
}

// The gate is a lock on the file. The launcher holds it until it opens the gate; then any number of processes can have
// it.
bool lock_gate(int file, short how, int wait_or_not) {
  struct flock gate {};
  gate.l_type = how;
  gate.l_whence = SEEK_SET;
  gate.l_len = 1;
  return ::fcntl(file, wait_or_not, &gate) == 0;
}

}  // namespace

KindCount& ProcessCounts::kind(std::uint32_t code) {
  for (std::uint32_t i = 0; i < kinds_used; ++i)
    if (kinds[i].code == code) return kinds[i];
  if (kinds_used == kKinds) return kinds.back();
  kinds[kinds_used].code = code;
  return kinds[kinds_used++];
}

void ProcessState::set_kinds(std::string_view words) {
  const std::size_t length = std::min(words.size(), kinds.size() - 1);
  std::copy_n(words.begin(), length, kinds.begin());
  kinds[length] = '\0';
}

// ---- in the launcher

Result<Board> Board::create(std::size_t processes) {
  UniqueFd file(::memfd_create("board", MFD_CLOEXEC));
  const bool is_ready = file && ::ftruncate(file.get(), begin_of_row(processes, processes)) == 0 &&
                        lock_gate(file.get(), F_WRLCK, F_SETLK);
  if (!is_ready) return Error::from_errno(fmt::format("make a table of {} processes", processes));
  return Board(std::move(file), processes);
}

ProcessState Board::state(std::size_t process) const {
  ProcessState state;
  read_at(file_.get(), begin_of_row(process, processes_), &state, sizeof state);
  return state;
}

ProcessCounts Board::counts(std::size_t process) const {
  ProcessCounts counts;
  read_at(file_.get(), begin_of_row(process, processes_) + kCountsAt, &counts, sizeof counts);
  return counts;
}

std::vector<PeerCount> Board::sent_by(std::size_t process) const {
  std::vector<PeerCount> peers(peers_of(processes_));
  read_at(file_.get(), begin_of_row(process, processes_) + kPeersAt, peers.data(), peers.size() * sizeof(PeerCount));
  return peers;
}

void Board::open_gate() const { lock_gate(file_.get(), F_UNLCK, F_SETLK); }

// ---- in a process

BoardRow::BoardRow(const Board& board, std::size_t process)
    : sent_to(peers_of(board.processes())), file_(board.file()), begins_at_(begin_of_row(process, board.processes())) {}

void BoardRow::wait_at_gate() {
  change(Doing::at_the_gate);
  while (!lock_gate(file_, F_RDLCK, F_SETLKW) && errno == EINTR) {
  }
}

void BoardRow::change(Doing now) {
  state.doing = now;
  ++state.changes;
  write_state();
}

// A process that sends and never waits writes its state from time to time.
void BoardRow::count_sent(std::uint32_t receiver, std::uint32_t length_bytes) {
  constexpr std::uint64_t kOften = 256;
  ++sent_to[receiver].messages;
  sent_to[receiver].bytes += length_bytes;
  if (++state.messages_sent % kOften == 0) write_state();
}

void BoardRow::write_state() const { write_at(file_, begins_at_, &state, sizeof state); }

void BoardRow::write_all() const {
  write_state();
  write_at(file_, begins_at_ + kCountsAt, &counts, sizeof counts);
  write_at(file_, begins_at_ + kPeersAt, sent_to.data(), sent_to.size() * sizeof(PeerCount));
}

std::int64_t monotonic_ns() { return clock_ns(CLOCK_MONOTONIC); }
std::int64_t own_cpu_ns() { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace dpm::native
