#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <dpm/monitor/shared_memory.hpp>

namespace dpm::monitor {

bool SharedMemory::open(const char* path, std::size_t bytes, Report report) {
  close(report);
  const int file = shm_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return false;
  struct stat status {};
  // Allocated, not only sized: a page that a full disk cannot give would kill the program.
  const bool is_ready = fstat(file, &status) == 0 && (static_cast<std::size_t>(status.st_size) >= bytes ||
                                                      fallocate(file, 0, 0, static_cast<off_t>(bytes)) == 0);
  void* const at = is_ready ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  ::close(file);
  if (at == MAP_FAILED) return false;
  data_ = at;
  bytes_ = bytes;
  happened(Action::kOpen, static_cast<std::int64_t>(bytes), report);
  return true;
}

void SharedMemory::close(Report report) {
  if (data_ == nullptr) return;
  munmap(data_, bytes_);
  data_ = nullptr;
  bytes_ = 0;
  happened(Action::kClose, 0, report);
}

bool SharedMemory::remove(const char* path) { return shm_unlink(path) == 0; }

bool SharedMemory::write(std::size_t offset, const void* from, std::size_t bytes, Report report) {
  if (!is_inside(offset, bytes)) return false;
  memcpy(static_cast<char*>(data_) + offset, from, bytes);
  happened(Action::kWrite, static_cast<std::int64_t>(bytes), report);
  return true;
}

bool SharedMemory::read(std::size_t offset, void* to, std::size_t bytes, Report report) const {
  if (!is_inside(offset, bytes)) return false;
  memcpy(to, static_cast<const char*>(data_) + offset, bytes);
  happened(Action::kRead, static_cast<std::int64_t>(bytes), report);
  return true;
}

}  // namespace dpm::monitor
