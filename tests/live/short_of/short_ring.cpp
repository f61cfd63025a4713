// Opens a ring, makes some calls that a meter is notified of, and ends at once. Exit status 77: no rings here.
#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <unistd.h>

int main() {
  io_uring_params parameters{};
  if (::syscall(SYS_io_uring_setup, 4, &parameters) < 0) return 77;
  int ends[2];
  if (::pipe(ends) != 0) return 1;
  for (int i = 0; i < 10; ++i) {
    char byte = 'x';
    if (::write(ends[1], &byte, 1) != 1 || ::read(ends[0], &byte, 1) != 1) return 1;
  }
  return 0;
}
