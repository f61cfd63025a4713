// prefork_server PORT CONNECTIONS: four processes poll one listening socket and take what they get; each connection brings one number of
// bytes and gets as many. It ends when all of them together have served CONNECTIONS.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kServers = 4 };

static int serve(int listener, long connections, atomic_long* served) {
  char data[8192];
  struct pollfd ready = {.fd = listener, .events = POLLIN};
  while (*served < connections) {
    if (poll(&ready, 1, 20) <= 0) continue;
    const int connection = accept(listener, NULL, NULL);
    if (connection < 0) {
      if (errno == EAGAIN) continue;
      return 1;
    }
    for (ssize_t length; (length = read(connection, data, sizeof data)) > 0;)
      if (write(connection, data, (size_t)length) != length) return 1;
    close(connection);
    ++*served;
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const struct sockaddr_in own = {
      .sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(listener, (const struct sockaddr*)&own, sizeof own) != 0 || listen(listener, 64) != 0) return 1;
  fcntl(listener, F_SETFL, O_NONBLOCK);
  atomic_long* served = mmap(NULL, sizeof *served, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < kServers; ++i)
    if (fork() == 0) _exit(serve(listener, atol(argv[2]), served));
  int failed = 0, status;
  while (wait(&status) > 0) failed |= status;
  printf("%ld served\n", *served);
  return failed != 0;
}
