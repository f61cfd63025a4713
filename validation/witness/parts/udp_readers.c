// udp_readers poll|block COUNT: a child sends COUNT datagrams, four threads take them from one socket; prints how many and how long they
// were. It ends when all have come: the sender ends each thread by a datagram of one byte.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// Of datagrams, so few wait at a time that the socket of an ordinary account has room for them.
enum { kReaders = 4, kLongest = 420, kLast = 1, kWaiting = 64 };

static int receiver;
static int polls;
static atomic_long bytes;
static atomic_long* datagrams;  // that were taken; the sender knows it without a message
static atomic_int done;

static void* read_some(void* unused) {
  char data[4096];
  struct pollfd ready = {.fd = receiver, .events = POLLIN};
  while (!done) {
    if (polls && poll(&ready, 1, 50) <= 0) continue;
    const ssize_t length = recv(receiver, data, sizeof data, 0);
    if (length == kLast) {
      if (!polls) break;  // each of those that wait gets one
      done = 1;
    } else if (length > 0) {
      ++*datagrams;
      bytes += length;
    }
  }
  return unused;
}

static void send_all(const struct sockaddr_in* to, long count) {
  char data[kLongest];
  memset(data, 'x', sizeof data);
  const int sender = socket(AF_INET, SOCK_DGRAM, 0);
  if (connect(sender, (const struct sockaddr*)to, sizeof *to) != 0) _exit(1);
  for (long i = 0; i < count; ++i) {
    while (i - *datagrams >= kWaiting) usleep(100);
    send(sender, data, 20 + i % 400, 0);
  }
  while (*datagrams < count) usleep(100);  // those with data come before those that end the readers
  for (int i = 0; i < (polls ? 1 : kReaders); ++i) send(sender, data, kLast, 0);
  _exit(0);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  polls = strcmp(argv[1], "poll") == 0;
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof own;
  receiver = socket(AF_INET, SOCK_DGRAM, 0);
  datagrams = mmap(NULL, sizeof *datagrams, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (datagrams == MAP_FAILED) return 1;
  if (bind(receiver, (struct sockaddr*)&own, size) != 0) return 1;
  getsockname(receiver, (struct sockaddr*)&own, &size);
  if (polls) fcntl(receiver, F_SETFL, O_NONBLOCK);
  const pid_t child = fork();
  if (child == 0) send_all(&own, atol(argv[2]));
  pthread_t readers[kReaders];
  for (int i = 0; i < kReaders; ++i) pthread_create(&readers[i], NULL, read_some, NULL);
  for (int i = 0; i < kReaders; ++i) pthread_join(readers[i], NULL);
  waitpid(child, NULL, 0);
  printf("%ld datagrams of %ld bytes\n", *datagrams, bytes);
}
