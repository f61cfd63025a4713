// A counting semaphore by name (S3 3.2, appendix B.6). Processes that open the same path share it; without a path it belongs to
// this process and the children that it forks.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <dpm/monitor/object.hpp>

namespace dpm::monitor {

class Semaphore : private Named {
 public:
  Semaphore(Monitor* owner, const char* function, const char* name)
      : Named(owner, Kind::kSemaphore, function, name, true) {}
  ~Semaphore() { close(); }
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  // False with errno. `path` is "/name", as for sem_open; a semaphore that exists keeps its count.
  bool open(unsigned count, const char* path = nullptr);
  // For this process and the children that it forks, and kept in the kernel: each operation is a system call, and a message of one unit
  // in the trace of dpm meter, also where nothing waits.
  bool open_metered(unsigned count);
  void close();
  static bool remove(const char* path) { return sem_unlink(path) == 0; }

  bool wait(Report report = Report::kYes);
  bool post(Report report = Report::kYes);
  int count() const;

 private:
  struct Shared {  // with the children
    sem_t semaphore;
    std::atomic<int> count;  // of a metered one
  };
  bool map();
  bool move_unit(bool gives) const;

  sem_t* semaphore_ = nullptr;
  Shared* shared_ = nullptr;  // null: known by its path
  int units_ = -1;            // an eventfd
};

}  // namespace dpm::monitor
