#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <dpm/monitor/semaphore.hpp>

namespace dpm::monitor {

bool Semaphore::open(unsigned count, const char* path) {
  close();
  if (path != nullptr) {
    sem_t* const opened = sem_open(path, O_CREAT | O_CLOEXEC, 0600, count);
    if (opened == SEM_FAILED) return false;
    semaphore_ = opened;
    is_shared_ = true;
    return true;
  }
  void* const place = mmap(nullptr, sizeof(sem_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return false;
  if (sem_init(static_cast<sem_t*>(place), 1, count) != 0) {
    munmap(place, sizeof(sem_t));
    return false;
  }
  semaphore_ = static_cast<sem_t*>(place);
  is_shared_ = false;
  return true;
}

void Semaphore::close() {
  if (semaphore_ == nullptr) return;
  if (is_shared_)
    sem_close(semaphore_);
  else
    munmap(semaphore_, sizeof(sem_t));
  semaphore_ = nullptr;
}

bool Semaphore::wait(Report report) {
  int status = 0;
  do status = sem_wait(semaphore_);
  while (status != 0 && errno == EINTR);
  if (status != 0) return false;
  happened(Action::kWait, count(), report);
  return true;
}

bool Semaphore::post(Report report) {
  if (sem_post(semaphore_) != 0) return false;
  happened(Action::kPost, count(), report);
  return true;
}

int Semaphore::count() const {
  int count = 0;
  return sem_getvalue(semaphore_, &count) == 0 ? count : 0;
}

}  // namespace dpm::monitor
