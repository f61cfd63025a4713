/* The library for programs in C, and for languages that can call C (python/dpm_monitor.py does). C99, with the same promises as the
 * C++ headers: no monitor is needed, nothing is printed or thrown, and what is not wanted costs one load.
 *
 *   dpm_monitor* monitor = dpm_monitor_open(1, NULL);
 *   dpm_integer i;
 *   dpm_integer_declare(&i, monitor, "main", "i", 0);     the function, the name, the value
 *   dpm_integer_set(&i, 5);                               integer_assign
 *   if (dpm_integer_get(&i) > limit) ...                  integer_access
 *
 * Another object than an integer or a point is declared with its kind, and says itself what happened to it:
 *
 *   const dpm_object* lock = dpm_object_declare(monitor, DPM_SEMAPHORE, "main", "lock", 1);
 *   dpm_happened(monitor, lock, DPM_SEMAPHORE_WAIT, 0);
 *
 * modules.h has sockets, semaphores and the other modules whose calls say it themselves. Link with a C++ compiler, or with the shared
 * library (pkg-config --libs dpm).
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of objects, and the actions of each by the names that event scripts use (actions.hpp). */
enum {
  DPM_INTEGER = 1,
  DPM_POINT,
  DPM_SOCKET,
  DPM_SOCKET_SERVER,
  DPM_SEMAPHORE,
  DPM_MESSAGE_QUEUE,
  DPM_SHARED_MEMORY,
  DPM_SIGNAL
};
enum { DPM_INTEGER_ASSIGN = 1, DPM_INTEGER_ACCESS = 2 };
enum { DPM_POINT_ENTER = 1, DPM_POINT_LEAVE = 2, DPM_POINT_FORCED = 4 };
enum { DPM_SOCKET_OPEN = 1, DPM_SOCKET_CLOSE = 2, DPM_SOCKET_WRITE = 4, DPM_SOCKET_READ = 8 };
enum { DPM_SOCKET_SERVER_OPEN = 1, DPM_SOCKET_SERVER_CLOSE = 2 };
enum { DPM_SEMAPHORE_WAIT = 1, DPM_SEMAPHORE_POST = 2 };
enum {
  DPM_MESSAGE_QUEUE_OPEN = 1,
  DPM_MESSAGE_QUEUE_CLOSE = 2,
  DPM_MESSAGE_QUEUE_SEND = 4,
  DPM_MESSAGE_QUEUE_RECEIVE = 8
};
enum {
  DPM_SHARED_MEMORY_OPEN = 1,
  DPM_SHARED_MEMORY_CLOSE = 2,
  DPM_SHARED_MEMORY_WRITE = 4,
  DPM_SHARED_MEMORY_READ = 8
};
enum { DPM_SIGNAL_SEND = 4, DPM_SIGNAL_RECEIVE = 8 };

typedef struct dpm_monitor dpm_monitor;

/* One for a process. `connect` 0: nothing is ever reported. `program`: the name by which scripts know the program, in place of that
 * of its file, for a program that an interpreter runs; or NULL. NULL without memory; NULL is a monitor of which nothing is wanted. */
dpm_monitor* dpm_monitor_open(int connect, const char* program);
/* No object of it may be used after that. */
void dpm_monitor_close(dpm_monitor* monitor);
int dpm_monitor_is_connected(const dpm_monitor* monitor);
/* Why it is not: a constant text, or "" when it is. */
const char* dpm_monitor_reason(const dpm_monitor* monitor);

/* An object's entry: bits of the actions that are wanted now. */
typedef struct dpm_object {
  volatile uint32_t wanted;
} dpm_object;

/* Never NULL. With the same kind, function and name it is the same object, also after fork(). The texts are copied. */
const dpm_object* dpm_object_declare(dpm_monitor* monitor, uint32_t kind, const char* function, const char* name,
                                     int is_signed);
/* Records the action if it is wanted. */
void dpm_record(dpm_monitor* monitor, const dpm_object* object, uint32_t action, int64_t value);

static inline int dpm_is_wanted(const dpm_object* object, uint32_t action) {
#ifdef __SANITIZE_THREAD__
  return (__atomic_load_n(&object->wanted, __ATOMIC_RELAXED) & action) != 0;
#else
  return __builtin_expect((object->wanted & action) != 0, 0) != 0;
#endif
}
static inline void dpm_happened(dpm_monitor* monitor, const dpm_object* object, uint32_t action, int64_t value) {
  if (dpm_is_wanted(object, action)) dpm_record(monitor, object, action, value);
}

/* A whole number. The use of `value` itself is silent. */
typedef struct dpm_integer {
  dpm_monitor* monitor;
  const dpm_object* object;
  int64_t value;
} dpm_integer;

static inline void dpm_integer_declare(dpm_integer* integer, dpm_monitor* monitor, const char* function,
                                       const char* name, int64_t value) {
  integer->monitor = monitor;
  integer->object = dpm_object_declare(monitor, DPM_INTEGER, function, name, 1);
  integer->value = value;
}
static inline int64_t dpm_integer_get(const dpm_integer* integer) {
  dpm_happened(integer->monitor, integer->object, DPM_INTEGER_ACCESS, integer->value);
  return integer->value;
}
static inline void dpm_integer_set(dpm_integer* integer, int64_t value) {
  integer->value = value;
  dpm_happened(integer->monitor, integer->object, DPM_INTEGER_ASSIGN, value);
}
/* An access and an assignment. */
static inline int64_t dpm_integer_add(dpm_integer* integer, int64_t by) {
  dpm_integer_set(integer, dpm_integer_get(integer) + by);
  return integer->value;
}

/* Where a program is. C has no destructors: each way out of the function leaves the point. */
typedef struct dpm_point {
  dpm_monitor* monitor;
  const dpm_object* object;
} dpm_point;

static inline dpm_point dpm_point_enter(dpm_monitor* monitor, const char* function, const char* name) {
  dpm_point point;
  point.monitor = monitor;
  point.object = dpm_object_declare(monitor, DPM_POINT, function, name, 1);
  dpm_happened(monitor, point.object, DPM_POINT_ENTER, 0);
  return point;
}
static inline void dpm_point_force(const dpm_point* point, int64_t value) {
  dpm_happened(point->monitor, point->object, DPM_POINT_FORCED, value);
}
static inline void dpm_point_leave(const dpm_point* point) {
  dpm_happened(point->monitor, point->object, DPM_POINT_LEAVE, 0);
}

#ifdef __cplusplus
}
#endif
