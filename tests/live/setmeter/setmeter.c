/* setmeter PORT: what a program can ask of its own meter. Each message has another length, so that a trace shows which was metered
 * how. At PORT of this machine a filter listens. */
#include <arpa/inet.h>
#include <dirent.h>
#include <dpm/monitor/setmeter.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int pair[2];

/* The meter passes events on some milliseconds after they happen, to the connection that the process has then. */
static void pause_for_meter(void) {
  const struct timespec time = {0, 500 * 1000 * 1000};
  nanosleep(&time, NULL);
}

static void exchange(size_t bytes) {
  static char data[4096];
  if (write(pair[0], data, bytes) != (ssize_t)bytes || read(pair[1], data, sizeof data) != (ssize_t)bytes) abort();
}

static void set(const char* what, int process, int flags, int socket) {
  const int status = dpm_setmeter(process, flags, socket);
  printf("%s: %s\n", what, status == 0 ? "0" : strerror(errno));
}

static int connected(int port) {
  struct sockaddr_in address;
  const int to = socket(AF_INET, SOCK_STREAM, 0);
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons((unsigned short)port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(to, (struct sockaddr*)&address, sizeof address) != 0) abort();
  return to;
}

static int open_descriptors(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder) != NULL) ++count;
  closedir(folder);
  return count;
}

int main(int count, char** arguments) {
  int before, filter, status = 0;
  pid_t child;
  if (count != 2 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 2;
  exchange(1000);
  set("only sends", DPM_SELF, DPM_M_SEND, DPM_NO_CHANGE);
  exchange(1001);
  set("nothing", getpid(), DPM_NONE, DPM_NO_CHANGE);
  exchange(1002);
  set("all but sends", DPM_SELF, DPM_M_ALL & ~DPM_M_SEND, DPM_NO_CHANGE);
  exchange(1003);
  pause_for_meter();

  before = open_descriptors();
  filter = connected(atoi(arguments[1]));
  set("another filter", DPM_SELF, DPM_M_ALL | DPM_M_IMMEDIATE, filter);
  close(filter);
  printf("descriptors: %d\n", open_descriptors() - before);
  exchange(1004);
  child = fork();
  if (child == 0) {
    exchange(1005);
    _exit(0);
  }
  if (waitpid(child, &status, 0) != child || status != 0) return 2;
  pause_for_meter();
  set("no filter", DPM_SELF, DPM_NO_CHANGE, DPM_NONE);
  exchange(1006);

  set("no process", 1 << 22 | 1, DPM_M_ALL, DPM_NO_CHANGE);
  set("no socket", DPM_SELF, DPM_NO_CHANGE, 1 << 29);
  set("no stream", DPM_SELF, DPM_NO_CHANGE, socket(AF_INET, SOCK_DGRAM, 0));
  set("no flag", DPM_SELF, 1 << 25, DPM_NO_CHANGE);
  set("not metered", getppid(), DPM_M_ALL, DPM_NO_CHANGE);
  set("of another account", 1, DPM_M_ALL, DPM_NO_CHANGE);
  return 0;
}
