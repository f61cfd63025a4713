// The clock of one host of a test cluster: the machine's clock with an offset and a drift.
//
// The kernel has no namespace for the time of day (a time namespace shifts CLOCK_MONOTONIC and CLOCK_BOOTTIME only), so
// a host with a clock of its own loads this library into every dynamically linked program (/etc/ld.so.preload).
// Compiled when the cluster starts, with
//   OFFSET_NS      by how many nanoseconds the time of day is ahead
//   DRIFT_PPB      by how many nanoseconds a second all clocks gain
//   START_NS       CLOCK_MONOTONIC of the machine when the cluster started, from which drift counts
//
// Programs compute the absolute times for which they wait from our time; they are converted back into the machine's time.
// Times that the kernel itself writes (files, /proc) stay the machine's, as do the clocks of statically linked
// programs.
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

namespace {

using Nanoseconds = long long;

constexpr Nanoseconds kSecond = 1'000'000'000;
// A later deadline is in the time of day: no machine has been up for twenty years. This decides where a call does not name
// its clock (a condition variable hides it).
constexpr time_t kTimeOfDayMin = 20LL * 365 * 24 * 3600;
// More seconds do not fit in our nanoseconds. Programs use them for "without a limit".
constexpr time_t kForeverMin = 9'000'000'000;

// The function behind ours. The version is that of the interface programs are linked to: without it the loader may give
// the oldest one, whose condition variables are laid out differently.
template <typename Function>
Function* behind(Function* /*ours*/, const char* name) {
  void* found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
  if (found == nullptr) found = dlsym(RTLD_NEXT, name);
  return reinterpret_cast<Function*>(found);
}

#define BEHIND(name) static const auto machines = behind(&(name), #name)

Nanoseconds count(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

timespec as_timespec(Nanoseconds time) {
  if (time < 0) time = 0;
  return {static_cast<time_t>(time / kSecond), static_cast<long>(time % kSecond)};
}

// The lookup may allocate memory, and some allocators (jemalloc) read the clock at their first allocation: until the
// function is found, ask the kernel.
int (*machines_clock)(clockid_t, timespec*) = nullptr;

__attribute__((constructor)) void find_clock() { machines_clock = behind(&clock_gettime, "clock_gettime"); }

int machine_time(clockid_t clock, timespec* time) {
  if (machines_clock != nullptr) return machines_clock(clock, time);
  return static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
}

Nanoseconds gained() {
  timespec now = {};
  machine_time(CLOCK_MONOTONIC, &now);
  return static_cast<Nanoseconds>(static_cast<__int128>(count(now) - START_NS) * DRIFT_PPB / kSecond);
}

// The offset to be added to a clock of the machine. CPU clocks are not changed.
Nanoseconds shift(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      return OFFSET_NS + gained();
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME:
      return gained();
    default:
      return 0;
  }
}

clockid_t clock_of(const timespec& deadline) {
  return deadline.tv_sec > kTimeOfDayMin ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

timespec machines_deadline(clockid_t clock, const timespec& deadline) {
  if (deadline.tv_sec > kForeverMin) return deadline;
  return as_timespec(count(deadline) - shift(clock));
}

itimerspec machines_timer(const itimerspec& timer, int flags, int absolute) {
  itimerspec turned = timer;
  if ((flags & absolute) != 0 && count(timer.it_value) != 0)
    turned.it_value = machines_deadline(clock_of(timer.it_value), timer.it_value);
  return turned;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const int result = machine_time(clock, time);
  if (result == 0) *time = as_timespec(count(*time) + shift(clock));
  return result;
}

int gettimeofday(timeval* time, void* /*zone*/) noexcept {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* seconds) noexcept {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  if (seconds != nullptr) *seconds = now.tv_sec;
  return now.tv_sec;
}

int timespec_get(timespec* time, int base) noexcept {
  return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* until, timespec* rest) {
  BEHIND(clock_nanosleep);
  if ((flags & TIMER_ABSTIME) == 0) return machines(clock, flags, until, rest);
  const timespec turned = machines_deadline(clock, *until);
  return machines(clock, flags, &turned, rest);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  BEHIND(pthread_cond_timedwait);
  const timespec turned = machines_deadline(clock_of(*until), *until);
  return machines(condition, mutex, &turned);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  BEHIND(pthread_cond_clockwait);
  const timespec turned = machines_deadline(clock, *until);
  return machines(condition, mutex, clock, &turned);
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  BEHIND(pthread_mutex_timedlock);
  const timespec turned = machines_deadline(CLOCK_REALTIME, *until);
  return machines(mutex, &turned);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) noexcept {
  BEHIND(pthread_mutex_clocklock);
  const timespec turned = machines_deadline(clock, *until);
  return machines(mutex, clock, &turned);
}

int sem_timedwait(sem_t* semaphore, const timespec* until) {
  BEHIND(sem_timedwait);
  const timespec turned = machines_deadline(CLOCK_REALTIME, *until);
  return machines(semaphore, &turned);
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  BEHIND(sem_clockwait);
  const timespec turned = machines_deadline(clock, *until);
  return machines(semaphore, clock, &turned);
}

int timer_settime(timer_t id, int flags, const itimerspec* timer, itimerspec* before) noexcept {
  BEHIND(timer_settime);
  const itimerspec turned = machines_timer(*timer, flags, TIMER_ABSTIME);
  return machines(id, flags, &turned, before);
}

int timerfd_settime(int fd, int flags, const itimerspec* timer, itimerspec* before) noexcept {
  BEHIND(timerfd_settime);
  const itimerspec turned = machines_timer(*timer, flags, TFD_TIMER_ABSTIME);
  return machines(fd, flags, &turned, before);
}

}  // extern "C"
