// cells OUT CELL...: makes each cell of the matrix of calls, and writes to OUT what it moved.
// cells --list: the names of all cells, "object side operation mode".
//
// A cell is a process P that makes an object with two ends and forks S. S sends, P receives; one of the two uses the operation of the
// cell, the other a plain one. P and S talk about nothing: one waits for the other's end, or for a time.
//
//   op CELL ROLE PID BYTES T0 T1   a message (or a part of a stream, or units) was moved between the two times (CLOCK_REALTIME, ns)
//   refused CELL ROLE PID ERRNO    the kernel refused the operation
//   calls CELL ROLE PID N          how often the operation was made
//   hung CELL, killed CELL SIGNAL  the cell did not end by itself
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/live/calls/operations.hpp"

namespace dpm::cells {
namespace {

constexpr const char* kSendModes[] = {"there", "again", "full", "short"};
constexpr const char* kReceiveModes[] = {"there", "waits", "again", "end", "short"};

struct Cell {
  std::string name;
  const Object* object = nullptr;
  const Row* row = nullptr;
  bool sends = false;
  std::string mode;
};

Operation plain_send(const Cell& cell) {
  const std::string object = cell.object->name;
  if (object == "posix_queue") return queue_send;
  return object == "sysv_queue" ? message_send : sends().front().operation;
}
Operation plain_receive(const Cell& cell) {
  const std::string object = cell.object->name;
  if (object == "posix_queue") return queue_receive;
  return object == "sysv_queue" ? message_receive : receives().front().operation;
}

bool has_flag(const Cell& cell, const char* flag) { return std::strstr(cell.row->name, flag) != nullptr; }

// One call, with what it moved.
long perform(Operation operation, Call& call) {
  const bool of_queue = operation == message_send || operation == message_receive;
  if (call.ends.is_queue && !of_queue) call.fd = -1;  // its number is not that of a descriptor
  const std::int64_t from = now_ns();
  ++call.account.calls;
  const long result = operation(call);
  const int error = errno;
  if (result > 0) {
    long left = call.ends.counts_units ? static_cast<long>(kUnits) : result;
    const bool in_segments = call.account.role == 'S' && call.ends.bytes == kSegmentedBytes;
    const long part = in_segments ? static_cast<long>(kSegmentBytes) : left;
    for (; left > 0; left -= part) call.account.moved(std::min(left, part), from, now_ns());
  }
  errno = error;
  return result;
}

void fill(const Ends& ends, char* bytes) {
  std::memset(bytes, 'x', kRoom);
  if (ends.counts_units) std::memcpy(bytes, &kUnits, sizeof kUnits);
}

void send_all(const Cell& cell, Ends& ends, Account& account) {
  const Operation operation = cell.sends ? cell.row->operation : plain_send(cell);
  Call call{ends, account, ends.out, room, ends.bytes, cell.sends ? cell.row->flags : 0};
  if (cell.sends && cell.mode == "again") fcntl(ends.out, F_SETFL, O_NONBLOCK | fcntl(ends.out, F_GETFL));
  if (cell.mode == "short") {
    call.length = kFullBytes;
    call.at_most = ends.bytes;
  }
  if (cell.sends && cell.mode == "full") {
    fcntl(ends.out, F_SETFL, O_NONBLOCK | fcntl(ends.out, F_GETFL));
    constexpr int kCallsMax = 2000;
    call.length = kFullBytes;
    for (int i = 0; i < kCallsMax; ++i)
      if (perform(operation, call) < 0) return account.calls > 1 ? void() : account.refused(errno);
    return;
  }
  const bool takes_all = !cell.sends && has_flag(cell, "WAITALL") && !ends.counts_units && ends.bytes == kBytes;
  const bool urgent = !cell.sends && has_flag(cell, "OOB");
  if (takes_all && cell.mode == "waits") {
    constexpr std::size_t kPieces = 3;
    for (std::size_t i = 0; i < kPieces; ++i) {
      pause_ms(kTakesMs);
      call.length = kBytes / kPieces;
      if (perform(operation, call) < 0) return account.refused(errno);
    }
    return;
  }
  if (!cell.sends && cell.mode == "waits") pause_ms(kTakesMs);
  if (urgent) {
    call.flags = MSG_OOB;
    if (perform(send_with_flags, call) >= 0) return;
    call.flags = 0;
  }
  fill(ends, room);
  if (perform(operation, call) < 0) account.refused(errno);
}

// What is there. The first call may wait for it.
void receive_all(const Cell& cell, Ends& ends, Account& account) {
  const bool tests = !cell.sends;
  const Operation operation = tests ? cell.row->operation : plain_receive(cell);
  const bool polls = std::strcmp(cell.object->name, "sysv_queue") != 0 && std::strcmp(cell.object->name, "memfd") != 0;
  bool waits = tests && cell.mode == "waits";
  constexpr int kCallsMax = 6000;
  for (int i = 0; i < kCallsMax; ++i) {
    if (!std::exchange(waits, false) && polls && !comes(ends.in, kNothingMoreMs)) return;
    std::size_t length = ends.counts_units ? ends.bytes : kRoom;
    if (cell.mode == "full" || (tests && cell.mode == "short")) length = kFullBytes;
    if (tests && has_flag(cell, "WAITALL") && cell.mode != "end") length = ends.bytes;
    Call call{ends, account, ends.in, room, length, tests ? cell.row->flags : 0};
    if (tests && cell.mode == "short") call.at_most = kRoom;
    if (ends.is_queue && !(tests && cell.mode == "waits")) call.flags = IPC_NOWAIT;
    const std::size_t before = account.text.size();
    const long result = perform(operation, call);
    if (result < 0) {
      if (errno != EAGAIN) account.refused(errno);
      if (errno != EAGAIN && tests && !account.was_refused) return;
      if (tests && std::exchange(account.was_refused, true) && errno != EAGAIN) {
        Call plain{ends, account, ends.in, room, ends.counts_units ? ends.bytes : kRoom, 0};  // so that nothing is left
        if (comes(ends.in, 0)) perform(plain_receive(cell), plain);
      }
      return;
    }
    if (has_flag(cell, "OOB"))
      fcntl(ends.in, F_SETFL, O_NONBLOCK | fcntl(ends.in, F_GETFL));  // it is told to be readable
    if (account.text.size() == before) return;  // the end, or an operation that says itself what it moved
    if (!polls) return;
  }
}

std::string unusual_end(const Cell& cell, int status) {
  if (!WIFSIGNALED(status)) return "";
  if (WTERMSIG(status) == SIGALRM) return "hung " + cell.name + "\n";
  return "killed " + cell.name + " SIG" + sigabbrev_np(WTERMSIG(status)) + "\n";
}

void await(pid_t sender, const Cell& cell, Account& account) {
  int status = 0;
  waitpid(sender, &status, 0);
  account.text += unusual_end(cell, status);
}

int play(const Cell& cell, int file) {
  signal(SIGPIPE, SIG_IGN);
  alarm(kEndsWithinS);
  Account account{cell.name, 'R', "", 0, false};
  Ends ends;
  if (cell.object->make(ends) != 0) {
    account.role = 'M';
    account.refused(errno);
    account.write_to(file);
    return 0;
  }
  fill(ends, room);
  const bool waits = !cell.sends && cell.mode == "waits";
  if (!cell.sends && cell.mode == "again") {
    fcntl(ends.in, F_SETFL, O_NONBLOCK | fcntl(ends.in, F_GETFL));
    Call call{ends, account, ends.in, room, ends.counts_units ? ends.bytes : kRoom, cell.row->flags};
    if (perform(cell.row->operation, call) < 0 && errno != EAGAIN) account.refused(errno);
  }
  const pid_t sender = fork();
  if (sender == 0) {
    alarm(kEndsWithinS);
    Account sent{cell.name, 'S', "", 0, false};
    send_all(cell, ends, sent);
    sent.write_to(file);
    _exit(0);
  }
  if (!cell.sends && cell.mode == "end" && ends.out != ends.in) close(ends.out);
  if (!waits) await(sender, cell, account);
  if (ends.listener >= 0 && comes(ends.listener, kNothingMoreMs)) ends.in = accept(ends.listener, nullptr, nullptr);
  if (ends.in >= 0) receive_all(cell, ends, account);
  if (waits) await(sender, cell, account);
  account.write_to(file);
  if (ends.is_queue) msgctl(ends.in, IPC_RMID, nullptr);
  return 0;
}

// Which rows an object has. What the kernel refuses for the same reason, whatever the flag and the mode, is tried once.
bool is_played(const std::string& object, const Row& row, char mode) {
  constexpr std::string_view kNoSockets[] = {"pipe",    "packet_pipe", "fifo",       "pty",
                                             "eventfd", "posix_queue", "sysv_queue", "memfd"};
  constexpr std::string_view kPipes[] = {"pipe", "packet_pipe", "fifo"};
  constexpr std::string_view kRare[] = {"tcp_fast_open", "netlink", "sctp", "vsock", "pty", "memfd", "posix_queue"};
  constexpr std::string_view kOfSockets[] = {"send",         "recv",           "io_uring/SEND",   "io_uring/RECV",
                                             "int80/sendto", "int80/recvfrom", "int80/socketcall"};
  constexpr std::string_view kStreams[] = {"tcp", "mptcp", "unix_stream", "pipe", "packet_pipe", "fifo"};
  const std::string_view name = row.name;
  const auto is_among = [](const auto& names, std::string_view wanted) {
    return std::ranges::find(names, wanted) != std::end(names);
  };
  const auto begins = [name](std::string_view word) { return name.starts_with(word); };
  const bool is_plain = name.find_first_of("+/") == std::string_view::npos;
  if ((mode == 'f' || name == "splice/room") && !is_among(kStreams, object)) return false;
  // If room comes between the look at TCP and the call, what a transfer moves has the time of the thread's next call.
  if (mode == 'f' && object.ends_with("tcp") && (begins("sendfile") || begins("splice"))) return false;
  if (object == "sysv_queue") return begins("msg") || name == "write" || name == "read";
  if (begins("msg")) return false;
  if (begins("mq_")) return object == "posix_queue";
  if (object == "tcp_unconnected") return begins("sendto") || begins("sendmsg") || name == "write";
  if (is_among(kNoSockets, object) && std::ranges::any_of(kOfSockets, begins) && name != "sendfile")
    return is_plain && mode == 't';
  if (!is_among(kPipes, object) &&
      (begins("vmsplice") || begins("tee") || begins("splice/file") || begins("io_uring/TEE")))
    return name.find('+') == std::string_view::npos && mode == 't';
  if (is_among(kRare, object))
    return mode == 't' && (is_plain || name.ends_with("/WRITE") || name.ends_with("/READ") ||
                           name.ends_with("/PWRITE") || name.ends_with("/PREAD"));
  if (object == "udp_merged" && begins("send")) return is_plain && mode == 't';
  return true;
}

std::vector<Cell> all_cells() {
  std::vector<Cell> cells;
  const auto add = [&](const Object& object, const Row& row, bool sends, const char* mode) {
    cells.push_back({std::string(object.name) + " " + (sends ? "send " : "receive ") + row.name + " " + mode, &object,
                     &row, sends, mode});
  };
  for (const Object& object : objects()) {
    const auto add_modes = [&](const Row& row, bool sends, const auto& modes) {
      for (const char* mode : modes)
        if (std::strchr(row.modes, mode[0]) != nullptr && is_played(object.name, row, mode[0]))
          add(object, row, sends, mode);
    };
    for (const Row& row : sends()) add_modes(row, true, kSendModes);
    for (const Row& row : receives()) add_modes(row, false, kReceiveModes);
  }
  return cells;
}

void take_end(std::map<pid_t, const Cell*>& running, int file) {
  int status = 0;
  const pid_t pid = wait(&status);
  const auto found = running.find(pid);
  if (found == running.end()) return;
  const std::string line = unusual_end(*found->second, status);
  if (!line.empty()) [[maybe_unused]]
    const ssize_t written = write(file, line.data(), line.size());
  running.erase(found);
}

int play_cells(int count, char** words) {
  constexpr std::size_t kAtOnce = 24;
  const std::vector<Cell> cells = all_cells();
  if (count == 2 && std::strcmp(words[1], "--list") == 0) {
    for (const Cell& cell : cells) std::puts(cell.name.c_str());
    return 0;
  }
  if (count != 3) return 2;
  room = static_cast<char*>(
      mmap(nullptr, 16 * kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0));
  const int file = open(words[1], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  std::map<std::string, const Cell*> by_name;
  for (const Cell& cell : cells) by_name[cell.name] = &cell;
  std::map<pid_t, const Cell*> running;
  FILE* wanted = std::fopen(words[2], "r");
  if (file < 0 || wanted == nullptr) return 2;
  char line[256];
  while (std::fgets(line, sizeof line, wanted) != nullptr) {
    line[std::strcspn(line, "\n")] = '\0';
    const auto found = by_name.find(line);
    if (found == by_name.end()) return 2;
    if (running.size() == kAtOnce) take_end(running, file);
    const pid_t pid = fork();
    if (pid == 0) _exit(play(*found->second, file));
    running[pid] = found->second;
  }
  while (!running.empty()) take_end(running, file);
  return 0;
}

}  // namespace
}  // namespace dpm::cells

int main(int count, char** words) { return dpm::cells::play_cells(count, words); }
