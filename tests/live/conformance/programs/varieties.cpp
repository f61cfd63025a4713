// Every call that sends against every call that receives, over every medium; each message has its own length, so that
// no two can be mistaken for each other. Built three times: as usual, statically, and for
// 32 bits, which is not metered and said to be.
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "tests/live/conformance/support/cases.hpp"
#include "tests/live/conformance/support/media.hpp"

namespace dpm {
namespace {

using Bytes = std::vector<char>;

struct Call {
  const char* name;
  long (*perform)(int fd, Bytes& bytes);
  bool needs_socket;
};

// The bytes in three pieces.
std::array<iovec, 3> pieces(Bytes& bytes) {
  const std::size_t third = bytes.size() / 3;
  return {iovec{bytes.data(), third}, iovec{bytes.data() + third, third},
          iovec{bytes.data() + 2 * third, bytes.size() - 2 * third}};
}

template <typename Perform>
long with_header(Bytes& bytes, Perform perform) {
  auto vector = pieces(bytes);
  msghdr header{};
  header.msg_iov = vector.data();
  header.msg_iovlen = vector.size();
  return perform(header);
}

template <typename Perform>
long with_headers(Bytes& bytes, Perform perform) {
  auto vector = pieces(bytes);
  mmsghdr header{};
  header.msg_hdr.msg_iov = vector.data();
  header.msg_hdr.msg_iovlen = vector.size();
  return perform(&header) == 1 ? static_cast<long>(header.msg_len) : -1;
}

constexpr std::array kSending = {
    Call{"write", [](int fd, Bytes& bytes) -> long { return write(fd, bytes.data(), bytes.size()); }, false},
    Call{"writev", [](int fd, Bytes& bytes) -> long { return writev(fd, pieces(bytes).data(), 3); }, false},
    Call{"pwritev2", [](int fd, Bytes& bytes) -> long { return pwritev2(fd, pieces(bytes).data(), 3, -1, 0); }, false},
    Call{"send", [](int fd, Bytes& bytes) -> long { return send(fd, bytes.data(), bytes.size(), 0); }, true},
    Call{"sendto", [](int fd, Bytes& bytes) -> long { return sendto(fd, bytes.data(), bytes.size(), 0, nullptr, 0); },
         true},
    Call{"sendmsg",
         [](int fd, Bytes& bytes) {
           return with_header(bytes, [fd](msghdr& header) { return sendmsg(fd, &header, 0); });
         },
         true},
    Call{"sendmmsg",
         [](int fd, Bytes& bytes) {
           return with_headers(bytes, [fd](mmsghdr* header) { return sendmmsg(fd, header, 1, 0); });
         },
         true},
};

constexpr std::array kReceiving = {
    Call{"read", [](int fd, Bytes& bytes) -> long { return read(fd, bytes.data(), bytes.size()); }, false},
    Call{"readv", [](int fd, Bytes& bytes) -> long { return readv(fd, pieces(bytes).data(), 3); }, false},
    Call{"preadv2", [](int fd, Bytes& bytes) -> long { return preadv2(fd, pieces(bytes).data(), 3, -1, 0); }, false},
    Call{"recv", [](int fd, Bytes& bytes) -> long { return recv(fd, bytes.data(), bytes.size(), 0); }, true},
    Call{"recvfrom",
         [](int fd, Bytes& bytes) -> long {
           sockaddr_storage sender{};
           socklen_t length = sizeof sender;
           return recvfrom(fd, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&sender), &length);
         },
         true},
    Call{"recvmsg",
         [](int fd, Bytes& bytes) {
           return with_header(bytes, [fd](msghdr& header) { return recvmsg(fd, &header, 0); });
         },
         true},
    Call{"recvmmsg",
         [](int fd, Bytes& bytes) {
           return with_headers(bytes, [fd](mmsghdr* header) { return recvmmsg(fd, header, 1, 0, nullptr); });
         },
         true},
};

void all_calls(const Actor& actor, const Medium& medium) {
  if constexpr (sizeof(void*) == 4) {
    actor.expect("SAID", 0, "32-bit programs are not metered");
    actor.expect("UNSEEN", 0, "-");
    actor.expect("LOST", 0, "calls of 32-bit code (int 0x80) are not recorded");
    pause_ms(50);  // it is looked at when it has been executed
  }
  const Ends ends = medium.connect(actor);
  std::size_t length = 11;
  for (const auto& sending : kSending) {
    for (const auto& receiving : kReceiving) {
      if (!medium.socket && (sending.needs_socket || receiving.needs_socket)) continue;
      length += 7;
      Bytes message(length, 'm'), room(1000);
      actor.sends(ends.a, sending.name, [&] { return sending.perform(ends.a.fd, message); });
      actor.receives(ends.b, receiving.name, [&] { return receiving.perform(ends.b.fd, room); });
      if (!medium.two_way) continue;
      actor.sends(ends.b, sending.name, [&] { return sending.perform(ends.b.fd, message); });
      actor.receives(ends.a, receiving.name, [&] { return receiving.perform(ends.a.fd, room); });
    }
  }
}

template <std::size_t kIndex>
void over_medium(const Actor& actor) {
  all_calls(actor, media()[kIndex]);
}

template <std::size_t... kIndexes>
std::array<Case, sizeof...(kIndexes)> cases_of_media(std::index_sequence<kIndexes...>) {
  return {Case{media()[kIndexes].name, over_medium<kIndexes>}...};
}

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) {
  const auto cases = dpm::cases_of_media(std::make_index_sequence<13>());
  return dpm::play_case(cases, argc, argv);
}
