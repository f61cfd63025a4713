// Memory that processes share by name (S3 3.2, appendix B.7). Its use through data() is not seen; write() and read() are.
#pragma once

#include <dpm/monitor/object.hpp>

namespace dpm::monitor {

class SharedMemory : private Named {
 public:
  SharedMemory(Monitor* owner, const char* function, const char* name)
      : Named(owner, Kind::kSharedMemory, function, name, true) {}
  ~SharedMemory() { close(); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // False with errno. `path` is "/name", as for shm_open. Memory that exists keeps its contents, and grows if it is smaller.
  bool open(const char* path, std::size_t bytes, Report report = Report::kYes);
  void close(Report report = Report::kYes);
  static bool remove(const char* path);

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  // False beyond the end.
  bool write(std::size_t offset, const void* from, std::size_t bytes, Report report = Report::kYes);
  bool read(std::size_t offset, void* to, std::size_t bytes, Report report = Report::kYes) const;

 private:
  bool is_inside(std::size_t offset, std::size_t bytes) const { return offset <= bytes_ && bytes <= bytes_ - offset; }

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace dpm::monitor
