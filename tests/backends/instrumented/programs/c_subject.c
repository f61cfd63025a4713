/* Each module of the C interface once: a parent and its child, as subject.cpp has them in C++. */
#include <dpm/monitor/modules.h>
#include <dpm/monitor/monitor.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void expect(int holds, int line) {
  if (holds) return;
  fprintf(stderr, "c_subject.c:%d: %s\n", line, strerror(errno));
  _exit(1);
}
#define EXPECT(holds) expect(holds, __LINE__)

struct modules {
  dpm_socket_server* request;
  dpm_socket* connect;
  dpm_semaphore* turn;
  dpm_message_queue* queue;
  dpm_shared_memory* memory;
  dpm_signal* wake;
};

static void be_child(const struct modules* use, unsigned short port) {
  char buffer[64] = {0};
  EXPECT(dpm_semaphore_wait(use->turn, 1) == 0 && dpm_socket_open(use->connect, port, "127.0.0.1", 1) == 0);
  EXPECT(dpm_socket_write(use->connect, "hello", 5, 1) == 5);
  EXPECT(dpm_message_queue_receive(use->queue, buffer, sizeof buffer, 1) == 7);
  EXPECT(dpm_shared_memory_read(use->memory, 10, buffer, 8, 1) == 0 && strcmp(buffer, "written") == 0);
  EXPECT(dpm_shared_memory_write(use->memory, 99, buffer, 2, 1) == -1 && errno == ERANGE);
  EXPECT(dpm_socket_read(use->connect, buffer, sizeof buffer, 1) == 0);
  EXPECT(dpm_signal_send(use->wake, getppid(), 1) == 0);
  dpm_socket_close(use->connect, 1);
  _exit(0);
}

static void be_parent(const struct modules* use, pid_t child) {
  char buffer[64] = {0};
  int status = 0;
  EXPECT(dpm_semaphore_post(use->turn, 1) == 0 && dpm_socket_accept(use->connect, use->request, 1) == 0);
  EXPECT(dpm_socket_read(use->connect, buffer, sizeof buffer, 1) == 5 && strcmp(buffer, "hello") == 0);
  EXPECT(dpm_shared_memory_write(use->memory, 10, "written", 8, 1) == 0);
  EXPECT(dpm_message_queue_send(use->queue, "message", 7, 0, 1) == 0);
  dpm_socket_close(use->connect, 1);
  EXPECT(dpm_signal_receive(use->wake, 30000000000, 1) == 0 && dpm_signal_receive(use->wake, 1000000, 1) == -1);
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

static void use_metered(dpm_monitor* monitor) {
  dpm_semaphore* units = dpm_semaphore_new(monitor, "modules", "units");
  EXPECT(dpm_semaphore_open_metered(units, 2) == 0 && dpm_semaphore_count(units) == 2);
  EXPECT(dpm_semaphore_wait(units, 1) == 0 && dpm_semaphore_wait(units, 1) == 0 && dpm_semaphore_count(units) == 0);
  EXPECT(dpm_semaphore_post(units, 1) == 0 && dpm_semaphore_count(units) == 1 && dpm_semaphore_wait(units, 1) == 0);
  dpm_semaphore_delete(units);
}

int main(void) {
  dpm_monitor* monitor = dpm_monitor_open(1, NULL);
  char path[64];
  snprintf(path, sizeof path, "/dpm-c-subject-%d", (int)getpid());
  const struct modules use = {
      dpm_socket_server_new(monitor, "modules", "request"), dpm_socket_new(monitor, "modules", "connect"),
      dpm_semaphore_new(monitor, "modules", "turn"),        dpm_message_queue_new(monitor, "modules", "queue"),
      dpm_shared_memory_new(monitor, "modules", "memory"),  dpm_signal_new(monitor, "modules", "wake", SIGUSR1)};
  EXPECT(dpm_socket_server_open(use.request, 0, 1) == 0 && dpm_semaphore_open(use.turn, 0, NULL) == 0);
  EXPECT(dpm_message_queue_open(use.queue, path, 4, 64, 1) == 0);
  EXPECT(dpm_shared_memory_open(use.memory, path, 100, 1) == 0);
  use_metered(monitor);
  const dpm_point here = dpm_point_enter(monitor, "main", "here");
  dpm_point_force(&here, -7);
  const dpm_object* unknown = dpm_object_declare(monitor, 99, "main", "unknown", 1);
  EXPECT(unknown != NULL && !dpm_is_wanted(unknown, ~0u));
  const dpm_object* silent = dpm_object_declare(NULL, DPM_INTEGER, "main", "silent", 1);
  dpm_record(NULL, silent, DPM_INTEGER_ASSIGN, 1);
  const pid_t child = fork();
  if (child == 0) be_child(&use, dpm_socket_server_port(use.request));
  be_parent(&use, child);
  dpm_point_leave(&here);
  EXPECT(dpm_message_queue_remove(path) == 0 && dpm_shared_memory_remove(path) == 0);
  dpm_shared_memory_delete(use.memory);
  dpm_message_queue_delete(use.queue);
  dpm_semaphore_delete(use.turn);
  dpm_socket_delete(use.connect);
  dpm_socket_server_delete(use.request);
  dpm_signal_delete(use.wake);
  printf("%s\n", dpm_monitor_is_connected(monitor) ? "connected" : dpm_monitor_reason(monitor));
  dpm_monitor_close(monitor);
  return 0;
}
