#include <dpm/monitor/modules.h>

#include <cerrno>
#include <dpm/monitor/message_queue.hpp>
#include <dpm/monitor/semaphore.hpp>
#include <dpm/monitor/shared_memory.hpp>
#include <dpm/monitor/signal.hpp>
#include <dpm/monitor/socket.hpp>
#include <new>

using namespace dpm::monitor;

namespace {

Report report_of(int report) { return report != 0 ? Report::kYes : Report::kNo; }
int status_of(bool is_done) { return is_done ? 0 : -1; }
Monitor* as_monitor(dpm_monitor* monitor) { return reinterpret_cast<Monitor*>(monitor); }

}  // namespace

struct dpm_socket_server : SocketServer {
  using SocketServer::SocketServer;
};
struct dpm_socket : Socket {
  using Socket::Socket;
};
struct dpm_semaphore : Semaphore {
  using Semaphore::Semaphore;
};
struct dpm_message_queue : MessageQueue {
  using MessageQueue::MessageQueue;
};
struct dpm_shared_memory : SharedMemory {
  using SharedMemory::SharedMemory;
};
struct dpm_signal : Signal {
  using Signal::Signal;
};

extern "C" {

dpm_socket_server* dpm_socket_server_new(dpm_monitor* monitor, const char* function, const char* name) {
  return new (std::nothrow) dpm_socket_server(as_monitor(monitor), function, name);
}
void dpm_socket_server_delete(dpm_socket_server* server) { delete server; }
int dpm_socket_server_open(dpm_socket_server* server, unsigned short port, int report) {
  return status_of(server->open(port, report_of(report)));
}
void dpm_socket_server_close(dpm_socket_server* server, int report) { server->close(report_of(report)); }
unsigned short dpm_socket_server_port(const dpm_socket_server* server) { return server->port(); }
int dpm_socket_server_descriptor(const dpm_socket_server* server) { return server->descriptor(); }

dpm_socket* dpm_socket_new(dpm_monitor* monitor, const char* function, const char* name) {
  return new (std::nothrow) dpm_socket(as_monitor(monitor), function, name);
}
void dpm_socket_delete(dpm_socket* socket) { delete socket; }
int dpm_socket_open(dpm_socket* socket, unsigned short port, const char* host, int report) {
  return status_of(socket->open(port, host, report_of(report)));
}
int dpm_socket_accept(dpm_socket* socket, dpm_socket_server* server, int report) {
  return status_of(socket->open(*server, report_of(report)));
}
void dpm_socket_close(dpm_socket* socket, int report) { socket->close(report_of(report)); }
ssize_t dpm_socket_write(dpm_socket* socket, const void* data, size_t bytes, int report) {
  return socket->write(data, bytes, report_of(report));
}
ssize_t dpm_socket_read(dpm_socket* socket, void* buffer, size_t bytes, int report) {
  return socket->read(buffer, bytes, report_of(report));
}
int dpm_socket_descriptor(const dpm_socket* socket) { return socket->descriptor(); }

dpm_semaphore* dpm_semaphore_new(dpm_monitor* monitor, const char* function, const char* name) {
  return new (std::nothrow) dpm_semaphore(as_monitor(monitor), function, name);
}
void dpm_semaphore_delete(dpm_semaphore* semaphore) { delete semaphore; }
int dpm_semaphore_open(dpm_semaphore* semaphore, unsigned count, const char* path) {
  return status_of(semaphore->open(count, path));
}
int dpm_semaphore_open_metered(dpm_semaphore* semaphore, unsigned count) {
  return status_of(semaphore->open_metered(count));
}
void dpm_semaphore_close(dpm_semaphore* semaphore) { semaphore->close(); }
int dpm_semaphore_remove(const char* path) { return status_of(Semaphore::remove(path)); }
int dpm_semaphore_wait(dpm_semaphore* semaphore, int report) { return status_of(semaphore->wait(report_of(report))); }
int dpm_semaphore_post(dpm_semaphore* semaphore, int report) { return status_of(semaphore->post(report_of(report))); }
int dpm_semaphore_count(const dpm_semaphore* semaphore) { return semaphore->count(); }

dpm_message_queue* dpm_message_queue_new(dpm_monitor* monitor, const char* function, const char* name) {
  return new (std::nothrow) dpm_message_queue(as_monitor(monitor), function, name);
}
void dpm_message_queue_delete(dpm_message_queue* queue) { delete queue; }
int dpm_message_queue_open(dpm_message_queue* queue, const char* path, long messages_most, long bytes_most,
                           int report) {
  return status_of(queue->open(path, messages_most, bytes_most, report_of(report)));
}
void dpm_message_queue_close(dpm_message_queue* queue, int report) { queue->close(report_of(report)); }
int dpm_message_queue_remove(const char* path) { return status_of(MessageQueue::remove(path)); }
int dpm_message_queue_send(dpm_message_queue* queue, const void* data, size_t bytes, unsigned priority, int report) {
  return status_of(queue->send(data, bytes, priority, report_of(report)));
}
ssize_t dpm_message_queue_receive(dpm_message_queue* queue, void* buffer, size_t bytes, int report) {
  return queue->receive(buffer, bytes, report_of(report));
}

dpm_shared_memory* dpm_shared_memory_new(dpm_monitor* monitor, const char* function, const char* name) {
  return new (std::nothrow) dpm_shared_memory(as_monitor(monitor), function, name);
}
void dpm_shared_memory_delete(dpm_shared_memory* memory) { delete memory; }
int dpm_shared_memory_open(dpm_shared_memory* memory, const char* path, size_t bytes, int report) {
  return status_of(memory->open(path, bytes, report_of(report)));
}
void dpm_shared_memory_close(dpm_shared_memory* memory, int report) { memory->close(report_of(report)); }
int dpm_shared_memory_remove(const char* path) { return status_of(SharedMemory::remove(path)); }
void* dpm_shared_memory_data(const dpm_shared_memory* memory) { return memory->data(); }
int dpm_shared_memory_write(dpm_shared_memory* memory, size_t offset, const void* from, size_t bytes, int report) {
  if (memory->write(offset, from, bytes, report_of(report))) return 0;
  errno = ERANGE;
  return -1;
}
int dpm_shared_memory_read(const dpm_shared_memory* memory, size_t offset, void* to, size_t bytes, int report) {
  if (memory->read(offset, to, bytes, report_of(report))) return 0;
  errno = ERANGE;
  return -1;
}

dpm_signal* dpm_signal_new(dpm_monitor* monitor, const char* function, const char* name, int number) {
  return new (std::nothrow) dpm_signal(as_monitor(monitor), function, name, number);
}
void dpm_signal_delete(dpm_signal* signal) { delete signal; }
int dpm_signal_send(dpm_signal* signal, pid_t process, int report) {
  return status_of(signal->send(process, report_of(report)));
}
int dpm_signal_receive(dpm_signal* signal, int64_t within_ns, int report) {
  return status_of(signal->receive(std::chrono::nanoseconds(within_ns), report_of(report)));
}

}  // extern "C"
