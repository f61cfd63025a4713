// What moves through sockets, where the kernel has no tracepoint for it (before Linux 6.3): the functions behind the calls show the same
// when they return, one for each kind of socket. hook_choice.hpp says which programs are loaded.
//
// They are the functions below sock_sendmsg() and sock_recvmsg(): the later messages of sendmmsg() and recvmmsg() do not pass these two.
// A socket of packets (SOCK_SEQPACKET) uses the functions of UNIX datagrams. What a kernel may do in several of them, one counts.
#pragma once

#include "sockets.h"

struct msghdr;
struct page;

#define dpm_shows_sending(program, function)                                                              \
  SEC("fexit/" #function)                                                                                 \
  int BPF_PROG(program, struct socket* socket, struct msghdr* message, unsigned long bytes, int result) { \
    return moved(socket->sk, result, 0, 1);                                                               \
  }
dpm_shows_sending(on_sent_inet, inet_sendmsg);
dpm_shows_sending(on_sent_inet6, inet6_sendmsg);
dpm_shows_sending(on_sent_unix_stream, unix_stream_sendmsg);
dpm_shows_sending(on_sent_unix_datagram, unix_dgram_sendmsg);

#define dpm_shows_receiving(program, function)                                                                       \
  SEC("fexit/" #function)                                                                                            \
  int BPF_PROG(program, struct socket* socket, struct msghdr* message, unsigned long bytes, int flags, int result) { \
    return moved(socket->sk, result, flags, 0);                                                                      \
  }
dpm_shows_receiving(on_received_inet, inet_recvmsg);
dpm_shows_receiving(on_received_inet6, inet6_recvmsg);
dpm_shows_receiving(on_received_unix_stream, unix_stream_recvmsg);

SEC("fexit/__unix_dgram_recvmsg")
int BPF_PROG(on_received_unix_datagram, struct sock* sk, struct msghdr* message, unsigned long bytes, int flags,
             int result) {
  return moved(sk, result, flags, 0);
}

// sendfile() and splice() into a socket, before Linux 6.5: a page at a time, and not by the functions of messages.
SEC("fexit/tcp_sendpage")
int BPF_PROG(on_page_sent_tcp, struct sock* sk, struct page* page, int offset, unsigned long bytes, int flags,
             int result) {
  return moved(sk, result, 0, 1);
}

SEC("fexit/udp_sendpage")
int BPF_PROG(on_page_sent_udp, struct sock* sk, struct page* page, int offset, unsigned long bytes, int flags,
             int result) {
  return moved(sk, result, 0, 1);
}

SEC("fexit/unix_stream_sendpage")
int BPF_PROG(on_page_sent_unix_stream, struct socket* socket, struct page* page, int offset, unsigned long bytes,
             int flags, long result) {
  return moved(socket->sk, (int)result, 0, 1);
}
