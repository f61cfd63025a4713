#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <dpm/monitor/semaphore.hpp>

namespace dpm::monitor {

bool Semaphore::map() {
  void* const place = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return false;
  shared_ = static_cast<Shared*>(place);
  return true;
}

bool Semaphore::open(unsigned count, const char* path) {
  close();
  if (path != nullptr) {
    sem_t* const opened = sem_open(path, O_CREAT | O_CLOEXEC, 0600, count);
    if (opened == SEM_FAILED) return false;
    semaphore_ = opened;
    return true;
  }
  if (!map()) return false;
  if (sem_init(&shared_->semaphore, 1, count) != 0) {
    close();
    return false;
  }
  semaphore_ = &shared_->semaphore;
  return true;
}

// It begins without units, so that those of the beginning are messages too: nothing else tells them from units that were not seen.
bool Semaphore::open_metered(unsigned count) {
  close();
  if (!map()) return false;
  units_ = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
  const std::uint64_t units = count;
  if (units_ < 0 || (count > 0 && write(units_, &units, sizeof units) != sizeof units)) {
    close();
    return false;
  }
  shared_->count = static_cast<int>(count);
  return true;
}

void Semaphore::close() {
  if (units_ >= 0) ::close(units_);
  if (semaphore_ != nullptr && shared_ == nullptr) sem_close(semaphore_);
  if (shared_ != nullptr) munmap(shared_, sizeof(Shared));
  units_ = -1;
  semaphore_ = nullptr;
  shared_ = nullptr;
}

bool Semaphore::move_unit(bool gives) const {
  std::uint64_t unit = 1;
  ssize_t moved = 0;
  do moved = gives ? write(units_, &unit, sizeof unit) : read(units_, &unit, sizeof unit);
  while (moved < 0 && errno == EINTR);
  return moved == sizeof unit;
}

bool Semaphore::wait(Report report) {
  if (units_ >= 0) {
    if (!move_unit(false)) return false;
    --shared_->count;
  } else {
    int status = 0;
    do status = sem_wait(semaphore_);
    while (status != 0 && errno == EINTR);
    if (status != 0) return false;
  }
  happened(Action::kWait, count(), report);
  return true;
}

// It is counted first: the unit may be taken at once.
bool Semaphore::post(Report report) {
  if (units_ >= 0) {
    ++shared_->count;
    if (!move_unit(true)) {
      --shared_->count;
      return false;
    }
  } else if (sem_post(semaphore_) != 0) {
    return false;
  }
  happened(Action::kPost, count(), report);
  return true;
}

int Semaphore::count() const {
  int count = 0;
  if (units_ >= 0) return shared_->count;
  return sem_getvalue(semaphore_, &count) == 0 ? count : 0;
}

}  // namespace dpm::monitor
