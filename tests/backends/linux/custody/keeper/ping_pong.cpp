#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <thread>
#include <vector>

#include "tests/backends/linux/custody/keeper/test_processes.hpp"

namespace dpm {
namespace {

// Both directions between two ends; on sockets each end reads and writes one descriptor.
struct End {
  int reads = -1, writes = -1;
};
struct Pair {
  End one, other;
};

void note_failure(ProgramState& state) {
  state.error_number = errno;
  ++state.failed_calls;
}

std::array<int, 2> connect_by_tcp(ProgramState& state) {
  const int waiting = ::socket(AF_INET, SOCK_STREAM, 0), connecting = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t length = sizeof address;
  if (::bind(waiting, generic, sizeof address) != 0 || ::listen(waiting, 1) != 0 ||
      ::getsockname(waiting, generic, &length) != 0 || ::connect(connecting, generic, sizeof address) != 0) {
    note_failure(state);
  }
  const int accepted = ::accept(waiting, nullptr, nullptr);
  if (accepted < 0) note_failure(state);
  ::close(waiting);
  return {connecting, accepted};
}

Pair make_pair(ResolvedChannel way, ProgramState& state) {
  if (way == ResolvedChannel::pipe) {
    std::array<int, 2> there = {}, back = {};
    if (::pipe(there.data()) != 0 || ::pipe(back.data()) != 0) note_failure(state);
    return {{back[0], there[1]}, {there[0], back[1]}};
  }
  std::array<int, 2> ends = {};
  if (way == ResolvedChannel::tcp) {
    ends = connect_by_tcp(state);
  } else if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) {
    note_failure(state);
  }
  return {{ends[0], ends[0]}, {ends[1], ends[1]}};
}

bool send_number(const End& end, std::uint64_t number, ProgramState& state) {
  if (::write(end.writes, &number, sizeof number) == sizeof number) return true;
  note_failure(state);
  return false;
}

bool receive_number(const End& end, std::uint64_t expected, ProgramState& state) {
  std::uint64_t number = 0;
  if (::read(end.reads, &number, sizeof number) == sizeof number && number == expected) return true;
  note_failure(state);
  return false;
}

void serve(const End& end, ProgramState& state) {
  std::uint64_t number = 0;
  ssize_t length = 0;
  while ((length = ::read(end.reads, &number, sizeof number)) == sizeof number) {
    if (!send_number(end, number, state)) return;
  }
  if (length != 0) note_failure(state);
}

void play(const End& end, ProgramState& state) {
  for (std::uint64_t number = 0; !state.stop; ++number) {
    if (!send_number(end, number, state) || !receive_number(end, number, state)) break;
    ++state.rounds;
  }
  ::close(end.writes);
}

void play_alone(const Pair& pair, ProgramState& state) {
  for (std::uint64_t number = 0; !state.stop; ++number) {
    const bool done = send_number(pair.one, number, state) && receive_number(pair.other, number, state) &&
                      send_number(pair.other, number, state) && receive_number(pair.one, number, state);
    if (!done) return;
    ++state.rounds;
  }
}

}  // namespace

ProgramUnderTest::Body ping_pong(ResolvedChannel way, int pairs) {
  return [way, pairs](ProgramState& state) {
    if (pairs == 0) return play_alone(make_pair(way, state), state);
    std::vector<std::thread> threads;
    for (int i = 0; i < pairs; ++i) {
      const Pair pair = make_pair(way, state);
      threads.emplace_back([pair, &state] { serve(pair.other, state); });
      threads.emplace_back([pair, &state] { play(pair.one, state); });
    }
    for (auto& thread : threads) thread.join();
  };
}

void read_once(ProgramState& state) {
  std::array<int, 2> ends = {};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) note_failure(state);
  ::shutdown(ends[1], SHUT_WR);
  char nothing = 0;
  if (::read(ends[0], &nothing, 1) != 0) note_failure(state);
  for (const int end : ends) ::close(end);
  ++state.rounds;
}

}  // namespace dpm
