#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "tests/live/calls/indirect_calls.hpp"
#include "tests/live/calls/operations.hpp"

namespace dpm::cells {

namespace {

int protocol_of(int fd) {
  int protocol = 0;
  socklen_t length = sizeof protocol;
  getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &length);
  return protocol;
}

}  // namespace

long send_with_flags(Call& call) {
  prepare(call);
  if ((call.flags & MSG_MORE) != 0) {
    const std::size_t first = call.length / 2;
    const std::int64_t from = now_ns();
    const long begun = sendto(call.fd, call.bytes, first, call.flags, nullptr, 0);
    if (begun < 0) return -1;
    const bool is_one = protocol_of(call.fd) == IPPROTO_UDP;  // both are one datagram
    if (!is_one) call.account.moved(begun, from, now_ns());
    const long rest = sendto(call.fd, call.bytes + first, call.length - first, 0, nullptr, 0);
    return is_one && rest >= 0 ? begun + rest : rest;
  }
  return sendto(call.fd, call.bytes, call.length, call.flags, receiver_of(call), receiver_bytes(call));
}

long queue_send(Call& call) {
  return mq_send(call.fd, call.bytes, call.length, 0) == 0 ? static_cast<long>(call.length) : -1;
}

long message_send(Call& call) {
  if (!call.ends.is_queue) {
    errno = EINVAL;
    return -1;
  }
  std::memmove(call.bytes + sizeof(long), call.bytes, call.length);
  const long type = 1;
  std::memcpy(call.bytes, &type, sizeof type);
  return msgsnd(call.fd, call.bytes, call.length, 0) == 0 ? static_cast<long>(call.length) : -1;
}

namespace {

int file_with(const Call& call) {
  const int file = open(".", O_TMPFILE | O_RDWR, 0600);
  [[maybe_unused]] const ssize_t written = pwrite(file, call.bytes, std::min(call.length, call.at_most), 0);
  return file;
}

// A pipe of its own that holds the bytes.
int filled_pipe(const Call& call) {
  int both[2];
  if (pipe(both) != 0) return -1;
  const std::int64_t from = now_ns();
  const long written = write(both[1], call.bytes, std::min(call.length, call.at_most));
  call.account.moved(written, from, now_ns());
  close(both[1]);
  return both[0];
}

long several_sent(Call& call) {
  std::array<iovec, 2> vector = halves(call);
  std::array<mmsghdr, 2> messages{};
  for (std::size_t i = 0; i < 2; ++i) {
    messages[i].msg_hdr.msg_iov = &vector[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  const std::int64_t from = now_ns();
  const int sent = sendmmsg(call.fd, messages.data(), call.ends.counts_units ? 1 : 2, call.flags);
  for (int i = 0; i < sent; ++i) call.account.moved(messages[static_cast<std::size_t>(i)].msg_len, from, now_ns());
  return sent < 0 ? -1 : 0;
}

// What it takes from the pipe it has received itself.
long spliced_out(Call& call, bool by_a_ring) {
  const int source = filled_pipe(call);
  const std::int64_t from = now_ns();
  const long moved = by_a_ring
                         ? splice_by_ring(IORING_OP_SPLICE, source, call.fd, call.length)
                         : splice(source, nullptr, call.fd, nullptr, call.length, static_cast<unsigned>(call.flags));
  const int error = errno;
  if (moved > 0) call.account.also('r', moved, from);
  errno = error;
  return moved;
}

long passed_by_rights(Account& account, int fd) {
  int both[2];
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, both) != 0) return -1;
  char control[CMSG_SPACE(sizeof fd)] = "";
  char byte = 'r';
  iovec vector{&byte, 1};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  cmsghdr* part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(part), &fd, sizeof fd);
  const int child = fork();
  if (child == 0) {
    sendmsg(both[0], &header, 0);
    _exit(0);
  }
  const std::int64_t from = now_ns();
  if (recvmsg(both[1], &header, 0) < 0) return -1;
  account.also('r', 1, from);
  std::memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof fd);
  waitpid(child, nullptr, 0);
  return fd;
}

// Plain, through another descriptor that the first was made into.
template <typename Pass>
long sent_through(Call& call, Pass&& pass) {
  const int other = static_cast<int>(pass(call.fd));
  if (other < 0) return -1;
  close(call.fd);
  return call.ends.is_queue ? -1 : write(other, call.bytes, call.length);
}

long sendmsg_of(Call& call) {
  prepare(call);
  auto vector = halves(call);
  msghdr header = message(call, vector);
  header.msg_name = receiver_of(call);
  header.msg_namelen = receiver_bytes(call);
  return sendmsg(call.fd, &header, call.flags);
}
// The size of the segments with the message.
long sendmsg_in_segments(Call& call) {
  auto vector = halves(call);
  msghdr header = message(call, vector);
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(std::uint16_t))] = "";
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  cmsghdr* part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_UDP;
  part->cmsg_type = UDP_SEGMENT;
  part->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
  const std::uint16_t segment = kSegmentBytes;
  std::memcpy(CMSG_DATA(part), &segment, sizeof segment);
  const std::int64_t from = now_ns();
  const long sent = sendmsg(call.fd, &header, 0);
  if (protocol_of(call.fd) != IPPROTO_UDP) return sent;
  for (long left = sent; left > 0; left -= static_cast<long>(kSegmentBytes))
    call.account.moved(std::min(left, static_cast<long>(kSegmentBytes)), from, now_ns());
  return sent < 0 ? -1 : 0;
}
long pwritev2_of(Call& call) {
  auto vector = halves(call);
  return pwritev2(call.fd, vector.data(), parts(call), -1, call.flags);
}
long writev_of(Call& call) {
  auto vector = halves(call);
  return writev(call.fd, vector.data(), parts(call));
}
long vmsplice_of(Call& call) {
  auto vector = halves(call);
  return vmsplice(call.fd, vector.data(), static_cast<std::size_t>(parts(call)), static_cast<unsigned>(call.flags));
}
long sendmsg_by_ring(Call& call) {
  auto vector = halves(call);
  msghdr header = message(call, vector);
  return by_ring(IORING_OP_SENDMSG, call.fd, &header, 1);
}
long writev_by_ring(Call& call) {
  auto vector = halves(call);
  return by_ring(IORING_OP_WRITEV, call.fd, vector.data(), static_cast<std::size_t>(parts(call)), UINT64_MAX);
}
long writev_by_aio(Call& call) {
  auto vector = halves(call);
  return by_aio(IOCB_CMD_PWRITEV, call.fd, vector.data(), static_cast<std::size_t>(parts(call)));
}

}  // namespace

const std::vector<Row>& sends() {
  static const std::vector<Row> rows = {
      {"write", [](Call& c) -> long { return write(c.fd, c.bytes, c.length); }, 0, "taf"},
      {"writev", writev_of, 0, "taf"},
      {"pwrite64", [](Call& c) -> long { return pwrite(c.fd, c.bytes, c.length, 0); }},
      {"pwritev",
       [](Call& c) -> long {
         auto v = halves(c);
         return pwritev(c.fd, v.data(), parts(c), 0);
       }},
      {"pwritev2", pwritev2_of, 0, "taf"},
      {"pwritev2+HIPRI", pwritev2_of, RWF_HIPRI},
      {"pwritev2+DSYNC", pwritev2_of, RWF_DSYNC},
      {"pwritev2+SYNC", pwritev2_of, RWF_SYNC},
      {"pwritev2+NOWAIT", pwritev2_of, RWF_NOWAIT},
      {"pwritev2+APPEND", pwritev2_of, RWF_APPEND},
      {"sendto", send_with_flags, 0, "taf"},
      {"sendto+DONTWAIT", send_with_flags, MSG_DONTWAIT, "taf"},
      {"sendto+MORE", send_with_flags, MSG_MORE},
      {"sendto+NOSIGNAL", send_with_flags, MSG_NOSIGNAL},
      {"sendto+EOR", send_with_flags, MSG_EOR},
      {"sendto+OOB", send_with_flags, MSG_OOB},
      {"sendto+ZEROCOPY", send_with_flags, MSG_ZEROCOPY},
      {"sendto+CONFIRM", send_with_flags, MSG_CONFIRM},
      {"sendto+DONTROUTE", send_with_flags, MSG_DONTROUTE},
      {"sendto+FASTOPEN", send_with_flags, MSG_FASTOPEN},
      {"sendmsg", sendmsg_of, 0, "taf"},
      {"sendmsg+DONTWAIT", sendmsg_of, MSG_DONTWAIT},
      {"sendmsg+OOB", sendmsg_of, MSG_OOB},
      {"sendmsg+ZEROCOPY", sendmsg_of, MSG_ZEROCOPY},
      {"sendmsg+FASTOPEN", sendmsg_of, MSG_FASTOPEN},
      {"sendmsg+SEGMENT", sendmsg_in_segments},
      {"sendmmsg", several_sent},
      {"sendmmsg+DONTWAIT", several_sent, MSG_DONTWAIT},
      {"sendfile",
       [](Call& c) -> long {
         off_t at = 0;
         return sendfile(c.fd, file_with(c), &at, c.length);
       },
       0, "tsf"},
      {"copy_file_range",
       [](Call& c) -> long {
         off_t at = 0;
         return copy_file_range(file_with(c), &at, c.fd, nullptr, c.length, 0);
       }},
      {"splice", [](Call& c) -> long { return spliced_out(c, false); }, 0, "tasf"},
      {"splice/file", [](Call& c) -> long { return splice(file_with(c), nullptr, c.fd, nullptr, c.length, 0); }, 0,
       "tsf"},
      {"splice+NONBLOCK", [](Call& c) -> long { return spliced_out(c, false); }, SPLICE_F_NONBLOCK},
      {"splice+MORE", [](Call& c) -> long { return spliced_out(c, false); }, SPLICE_F_MORE},
      {"splice+MOVE", [](Call& c) -> long { return spliced_out(c, false); }, SPLICE_F_MOVE},
      {"vmsplice", vmsplice_of, 0, "t"},
      {"vmsplice+NONBLOCK", vmsplice_of, SPLICE_F_NONBLOCK, "tf"},
      {"vmsplice+GIFT", vmsplice_of, SPLICE_F_GIFT},
      {"tee", [](Call& c) -> long { return tee(filled_pipe(c), c.fd, c.length, 0); }, 0, "ts"},
      {"tee+NONBLOCK", [](Call& c) -> long { return tee(filled_pipe(c), c.fd, c.length, SPLICE_F_NONBLOCK); }, 0, "tf"},
      {"io_submit/PWRITE", [](Call& c) -> long { return by_aio(IOCB_CMD_PWRITE, c.fd, c.bytes, c.length); }, 0, "taf"},
      {"io_submit/PWRITEV", writev_by_aio},
      {"io_uring/WRITE", [](Call& c) -> long { return by_ring(IORING_OP_WRITE, c.fd, c.bytes, c.length, UINT64_MAX); },
       0, "t"},
      {"io_uring/WRITEV", writev_by_ring},
      {"io_uring/WRITE_FIXED",
       [](Call& c) -> long { return by_ring_registered(IORING_OP_WRITE_FIXED, c.fd, c.bytes, c.length); }},
      {"io_uring/SEND", [](Call& c) -> long { return by_ring(IORING_OP_SEND, c.fd, c.bytes, c.length); }, 0, "t"},
      {"io_uring/SENDMSG", sendmsg_by_ring},
      {"io_uring/SEND_ZC", [](Call& c) -> long { return by_ring(IORING_OP_SEND_ZC, c.fd, c.bytes, c.length); }},
      {"io_uring/SPLICE", [](Call& c) -> long { return spliced_out(c, true); }},
      {"io_uring/TEE", [](Call& c) -> long { return splice_by_ring(IORING_OP_TEE, filled_pipe(c), c.fd, c.length); }},
      {"int80/write",
       [](Call& c) -> long { return call_32(kWrite32, c.fd, address_of(c.bytes), static_cast<long>(c.length)); }, 0,
       "t"},
      {"int80/writev", [](Call& c) -> long { return call_32(kWritev32, c.fd, vector_32(c.bytes, c.length), 1); }},
      {"int80/sendto",
       [](Call& c) -> long { return call_32(kSendto32, c.fd, address_of(c.bytes), static_cast<long>(c.length)); }},
      {"int80/socketcall",
       [](Call& c) -> long {
         return call_32(kSocketcall, 9 /* SYS_SEND */,
                        arguments_32({c.fd, address_of(c.bytes), static_cast<long>(c.length), 0}), 0);
       }},
      {"mq_timedsend", queue_send},
      {"msgsnd", message_send},
      {"dup", [](Call& c) { return sent_through(c, [](int fd) { return dup(fd); }); }},
      {"dup2", [](Call& c) { return sent_through(c, [](int fd) { return dup2(fd, 100); }); }},
      {"dup3", [](Call& c) { return sent_through(c, [](int fd) { return dup3(fd, 101, O_CLOEXEC); }); }},
      {"fcntl", [](Call& c) { return sent_through(c, [](int fd) { return fcntl(fd, F_DUPFD, 102); }); }},
      {"pidfd_getfd",
       [](Call& c) {
         return sent_through(c, [](int fd) -> long {
           const auto self = static_cast<int>(syscall(SYS_pidfd_open, getppid(), 0));
           return syscall(SYS_pidfd_getfd, self, fd, 0);
         });
       }},
      {"SCM_RIGHTS", [](Call& c) { return sent_through(c, [&c](int fd) { return passed_by_rights(c.account, fd); }); }},
  };
  return rows;
}

}  // namespace dpm::cells
