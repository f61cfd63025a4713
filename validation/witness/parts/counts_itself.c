// Preloaded into a program, this counts what it writes to and reads from UNIX streams, and writes both to COUNTS/PID when the program ends.
// What a client's loop tells itself is chance, so that two runs cannot be compared in it: here the program of the metered run is a witness.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static long written_bytes, read_bytes;

static int is_unix_stream(int number) {
  const int before = errno;
  int domain = 0, type = 0;
  socklen_t size = sizeof domain;
  const int found = getsockopt(number, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
                    getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && domain == AF_UNIX && type == SOCK_STREAM;
  errno = before;
  return found;
}

static void count(long* bytes, int number, ssize_t moved) {
  if (moved > 0 && is_unix_stream(number)) __atomic_fetch_add(bytes, moved, __ATOMIC_RELAXED);
}

ssize_t read(int number, void* to, size_t size) {
  ssize_t (*real)(int, void*, size_t) = dlsym(RTLD_NEXT, "read");
  const ssize_t moved = real(number, to, size);
  count(&read_bytes, number, moved);
  return moved;
}

ssize_t write(int number, const void* from, size_t size) {
  ssize_t (*real)(int, const void*, size_t) = dlsym(RTLD_NEXT, "write");
  const ssize_t moved = real(number, from, size);
  count(&written_bytes, number, moved);
  return moved;
}

__attribute__((destructor)) static void tell(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", getenv("COUNTS"), (int)getpid());
  FILE* file = fopen(path, "w");
  if (file == NULL) return;
  fprintf(file, "%ld %ld\n", written_bytes, read_bytes);
  fclose(file);
}
