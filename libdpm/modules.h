/* The modules for communication between processes in C (S3 3.2): what the C++ headers of the same names have, socket.hpp and so on.
 *
 * `new` gives NULL without memory, and `delete` closes. What returns int is 0, or -1 with errno; an event is what succeeded. With
 * `report` 0 a call is silent.
 */
#pragma once

#include <dpm/monitor/monitor.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dpm_socket_server dpm_socket_server;
dpm_socket_server* dpm_socket_server_new(dpm_monitor* monitor, const char* function, const char* name);
void dpm_socket_server_delete(dpm_socket_server* server);
/* Port 0: one that is free. */
int dpm_socket_server_open(dpm_socket_server* server, unsigned short port, int report);
void dpm_socket_server_close(dpm_socket_server* server, int report);
unsigned short dpm_socket_server_port(const dpm_socket_server* server);
int dpm_socket_server_descriptor(const dpm_socket_server* server);

typedef struct dpm_socket dpm_socket;
dpm_socket* dpm_socket_new(dpm_monitor* monitor, const char* function, const char* name);
void dpm_socket_delete(dpm_socket* socket);
int dpm_socket_open(dpm_socket* socket, unsigned short port, const char* host, int report);
/* Waits for a client. */
int dpm_socket_accept(dpm_socket* socket, dpm_socket_server* server, int report);
void dpm_socket_close(dpm_socket* socket, int report);
ssize_t dpm_socket_write(dpm_socket* socket, const void* data, size_t bytes, int report);
ssize_t dpm_socket_read(dpm_socket* socket, void* buffer, size_t bytes, int report);
int dpm_socket_descriptor(const dpm_socket* socket);

typedef struct dpm_semaphore dpm_semaphore;
dpm_semaphore* dpm_semaphore_new(dpm_monitor* monitor, const char* function, const char* name);
void dpm_semaphore_delete(dpm_semaphore* semaphore);
/* `path` is "/name", or NULL: for this process and its children. */
int dpm_semaphore_open(dpm_semaphore* semaphore, unsigned count, const char* path);
/* For this process and its children; each operation is a message of one unit in the trace of dpm meter. */
int dpm_semaphore_open_metered(dpm_semaphore* semaphore, unsigned count);
void dpm_semaphore_close(dpm_semaphore* semaphore);
int dpm_semaphore_remove(const char* path);
int dpm_semaphore_wait(dpm_semaphore* semaphore, int report);
int dpm_semaphore_post(dpm_semaphore* semaphore, int report);
int dpm_semaphore_count(const dpm_semaphore* semaphore);

typedef struct dpm_message_queue dpm_message_queue;
dpm_message_queue* dpm_message_queue_new(dpm_monitor* monitor, const char* function, const char* name);
void dpm_message_queue_delete(dpm_message_queue* queue);
int dpm_message_queue_open(dpm_message_queue* queue, const char* path, long messages_most, long bytes_most, int report);
void dpm_message_queue_close(dpm_message_queue* queue, int report);
int dpm_message_queue_remove(const char* path);
int dpm_message_queue_send(dpm_message_queue* queue, const void* data, size_t bytes, unsigned priority, int report);
ssize_t dpm_message_queue_receive(dpm_message_queue* queue, void* buffer, size_t bytes, int report);

typedef struct dpm_shared_memory dpm_shared_memory;
dpm_shared_memory* dpm_shared_memory_new(dpm_monitor* monitor, const char* function, const char* name);
void dpm_shared_memory_delete(dpm_shared_memory* memory);
int dpm_shared_memory_open(dpm_shared_memory* memory, const char* path, size_t bytes, int report);
void dpm_shared_memory_close(dpm_shared_memory* memory, int report);
int dpm_shared_memory_remove(const char* path);
void* dpm_shared_memory_data(const dpm_shared_memory* memory);
int dpm_shared_memory_write(dpm_shared_memory* memory, size_t offset, const void* from, size_t bytes, int report);
int dpm_shared_memory_read(const dpm_shared_memory* memory, size_t offset, void* to, size_t bytes, int report);

typedef struct dpm_signal dpm_signal;
/* Blocks the signal in the calling thread, and in those that it starts later. */
dpm_signal* dpm_signal_new(dpm_monitor* monitor, const char* function, const char* name, int number);
void dpm_signal_delete(dpm_signal* signal);
int dpm_signal_send(dpm_signal* signal, pid_t process, int report);
int dpm_signal_receive(dpm_signal* signal, int64_t within_ns, int report);

#ifdef __cplusplus
}
#endif
