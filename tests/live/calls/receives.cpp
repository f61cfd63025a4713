#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <sys/msg.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "tests/live/calls/indirect_calls.hpp"
#include "tests/live/calls/operations.hpp"

namespace dpm::cells {

bool comes(int fd, int milliseconds) {
  pollfd item{fd, POLLIN | POLLRDHUP, 0};
  return poll(&item, 1, milliseconds) == 1;
}

long queue_receive(Call& call) { return mq_receive(call.fd, call.bytes, kRoom, nullptr); }

long message_receive(Call& call) {
  if (!call.ends.is_queue) {
    errno = EINVAL;
    return -1;
  }
  return msgrcv(call.fd, call.bytes, kRoom - sizeof(long), 0, call.flags);
}

namespace {

long recvfrom_of(Call& call) { return recvfrom(call.fd, call.bytes, call.length, call.flags, nullptr, nullptr); }
long recvmsg_of(Call& call) {
  iovec vector{call.bytes, call.length};
  alignas(cmsghdr) char control[256] = "";
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  return recvmsg(call.fd, &header, call.flags);
}

// It looks, and takes nothing. A plain receive follows. Some sockets do not know the queue of errors, and take a message.
template <Operation Look>
long looked(Call& call) {
  const std::int64_t from = now_ns();
  const long seen = Look(call);
  if (seen < 0 && errno != EAGAIN) return -1;
  if (seen > 0 && (call.flags & MSG_ERRQUEUE) != 0) call.account.moved(seen, from, now_ns());
  if (!comes(call.fd, 0)) return 0;
  call.flags = 0;
  return recvfrom_of(call);
}
// The urgent byte of a stream, and then the rest.
template <Operation Take>
long urgent_of(Call& call) {
  const std::int64_t from = now_ns();
  const std::size_t length = call.length;
  int type = 0;
  socklen_t type_bytes = sizeof type;
  getsockopt(call.fd, SOL_SOCKET, SO_TYPE, &type, &type_bytes);
  if (type == SOCK_STREAM) call.length = 1;
  const long taken = Take(call);
  if (taken < 0) return -1;
  if (taken > 0) call.account.moved(taken, from, now_ns());
  if (!comes(call.fd, 0)) return 0;
  call.flags = 0;
  call.length = length;
  return recvfrom_of(call);
}
long readv_of(Call& call) {
  auto vector = halves(call);
  return readv(call.fd, vector.data(), parts(call));
}
long preadv2_of(Call& call) {
  auto vector = halves(call);
  return preadv2(call.fd, vector.data(), parts(call), -1, call.flags);
}
long several_received(Call& call) {
  constexpr std::size_t kEntries = 4;
  std::array<iovec, kEntries> vector;
  std::array<mmsghdr, kEntries> messages{};
  for (std::size_t i = 0; i < kEntries; ++i) {
    vector[i] = {call.bytes + i * (kRoom / kEntries), kRoom / kEntries};
    messages[i].msg_hdr.msg_iov = &vector[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  const std::int64_t from = now_ns();
  const int received = recvmmsg(call.fd, messages.data(), kEntries, call.flags, nullptr);
  for (int i = 0; i < received; ++i)
    if (messages[static_cast<std::size_t>(i)].msg_len > 0)
      call.account.moved(messages[static_cast<std::size_t>(i)].msg_len, from, now_ns());
  return received < 0 ? -1 : 0;
}
long read_spliced(const Call& call, int source) {
  const std::int64_t from = now_ns();
  const long read_bytes = read(source, call.bytes, call.length);
  if (read_bytes > 0) call.account.also('r', read_bytes, from);
  return read_bytes;
}
long spliced_in(Call& call, bool by_a_ring) {
  int both[2];
  if (pipe(both) != 0) return -1;
  if (call.at_most < call.length) fcntl(both[1], F_SETPIPE_SZ, static_cast<int>(call.at_most));
  const std::int64_t from = now_ns();
  const long moved = by_a_ring
                         ? splice_by_ring(IORING_OP_SPLICE, call.fd, both[1], call.length)
                         : splice(call.fd, nullptr, both[1], nullptr, call.length, static_cast<unsigned>(call.flags));
  if (moved <= 0) return moved;
  call.account.also('s', moved, from);
  call.account.moved(moved, from, now_ns());
  read_spliced(call, both[0]);
  close(both[0]);
  close(both[1]);
  return 0;
}
long readv_by_ring(Call& call) {
  auto vector = halves(call);
  return by_ring(IORING_OP_READV, call.fd, vector.data(), static_cast<std::size_t>(parts(call)), UINT64_MAX);
}
long recvmsg_by_ring(Call& call) {
  iovec vector{call.bytes, call.length};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  return by_ring(IORING_OP_RECVMSG, call.fd, &header, 1);
}
long readv_by_aio(Call& call) {
  auto vector = halves(call);
  return by_aio(IOCB_CMD_PREADV, call.fd, vector.data(), static_cast<std::size_t>(parts(call)));
}
long vmspliced_in(Call& call) {
  const iovec vector{call.bytes, call.length};
  return vmsplice(call.fd, &vector, 1, static_cast<unsigned>(call.flags));
}

}  // namespace

const std::vector<Row>& receives() {
  static const std::vector<Row> rows = {
      {"read", [](Call& c) -> long { return read(c.fd, c.bytes, c.length); }, 0, "twae"},
      {"readv", readv_of, 0, "twae"},
      {"pread64", [](Call& c) -> long { return pread(c.fd, c.bytes, c.length, 0); }},
      {"preadv",
       [](Call& c) -> long {
         auto v = halves(c);
         return preadv(c.fd, v.data(), parts(c), 0);
       }},
      {"preadv2", preadv2_of, 0, "twae"},
      {"preadv2+HIPRI", preadv2_of, RWF_HIPRI},
      {"preadv2+NOWAIT", preadv2_of, RWF_NOWAIT},
      {"recvfrom", recvfrom_of, 0, "twae"},
      {"recvfrom+WAITALL", recvfrom_of, MSG_WAITALL, "twe"},
      {"recvfrom+DONTWAIT", recvfrom_of, MSG_DONTWAIT},
      {"recvfrom+PEEK", looked<recvfrom_of>, MSG_PEEK, "tw"},
      {"recvfrom+TRUNC", recvfrom_of, MSG_TRUNC, "tw"},
      {"recvfrom+OOB", urgent_of<recvfrom_of>, MSG_OOB},
      {"recvfrom+ERRQUEUE", looked<recvfrom_of>, MSG_ERRQUEUE},
      {"recvmsg", recvmsg_of, 0, "twae"},
      {"recvmsg+WAITALL", recvmsg_of, MSG_WAITALL, "twe"},
      {"recvmsg+DONTWAIT", recvmsg_of, MSG_DONTWAIT},
      {"recvmsg+PEEK", looked<recvmsg_of>, MSG_PEEK},
      {"recvmsg+TRUNC", recvmsg_of, MSG_TRUNC},
      {"recvmsg+OOB", urgent_of<recvmsg_of>, MSG_OOB},
      {"recvmsg+ERRQUEUE", looked<recvmsg_of>, MSG_ERRQUEUE},
      {"recvmsg+CMSG_CLOEXEC", recvmsg_of, MSG_CMSG_CLOEXEC},
      {"recvmmsg+WAITFORONE", several_received, MSG_WAITFORONE, "twae"},
      {"recvmmsg+DONTWAIT", several_received, MSG_DONTWAIT},
      {"sendfile",
       [](Call& c) -> long {
         const int file = open(".", O_TMPFILE | O_RDWR, 0600);
         return sendfile(file, c.fd, nullptr, c.length);
       }},
      {"splice", [](Call& c) -> long { return spliced_in(c, false); }, 0, "twae"},
      {"splice/room", [](Call& c) -> long { return spliced_in(c, false); }, 0, "s"},
      {"splice+NONBLOCK", [](Call& c) -> long { return spliced_in(c, false); }, SPLICE_F_NONBLOCK},
      {"splice+MORE", [](Call& c) -> long { return spliced_in(c, false); }, SPLICE_F_MORE},
      {"vmsplice", vmspliced_in, 0, "twe"},
      {"vmsplice+NONBLOCK", vmspliced_in, SPLICE_F_NONBLOCK},
      {"io_submit/PREAD", [](Call& c) -> long { return by_aio(IOCB_CMD_PREAD, c.fd, c.bytes, c.length); }, 0, "twae"},
      {"io_submit/PREADV", readv_by_aio},
      {"io_uring/READ", [](Call& c) -> long { return by_ring(IORING_OP_READ, c.fd, c.bytes, c.length, UINT64_MAX); }, 0,
       "twe"},
      {"io_uring/READV", readv_by_ring},
      {"io_uring/READ_FIXED",
       [](Call& c) -> long { return by_ring_registered(IORING_OP_READ_FIXED, c.fd, c.bytes, c.length); }},
      {"io_uring/RECV", [](Call& c) -> long { return by_ring(IORING_OP_RECV, c.fd, c.bytes, c.length); }, 0, "twe"},
      {"io_uring/RECV+WAITALL",
       [](Call& c) -> long { return by_ring(IORING_OP_RECV, c.fd, c.bytes, c.length, 0, MSG_WAITALL); }, 0, "twe"},
      {"io_uring/RECVMSG", recvmsg_by_ring},
      {"io_uring/SPLICE", [](Call& c) -> long { return spliced_in(c, true); }},
      {"int80/read",
       [](Call& c) -> long { return call_32(kRead32, c.fd, address_of(c.bytes), static_cast<long>(c.length)); }, 0,
       "t"},
      {"int80/readv", [](Call& c) -> long { return call_32(kReadv32, c.fd, vector_32(c.bytes, c.length), 1); }, 0, "t"},
      {"int80/recvfrom",
       [](Call& c) -> long { return call_32(kRecvfrom32, c.fd, address_of(c.bytes), static_cast<long>(c.length)); }},
      {"int80/socketcall",
       [](Call& c) -> long {
         return call_32(kSocketcall, 10 /* SYS_RECV */,
                        arguments_32({c.fd, address_of(c.bytes), static_cast<long>(c.length), 0}), 0);
       }},
      {"mq_timedreceive", queue_receive, 0, "tw"},
      {"msgrcv", message_receive, 0, "tw"},
  };
  return rows;
}

}  // namespace dpm::cells
