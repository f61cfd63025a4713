// A disk that serves a process one block at a time, very slowly: the cgroup of the process has a limit of bytes a second.
// Needs root and a cgroup with the controller of block devices.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace dpm::sampling {

class ThrottledDisk {
 public:
  // Empty with a reason if it cannot be had here.
  static std::unique_ptr<ThrottledDisk> make(std::string& reason);
  ~ThrottledDisk();
  ThrottledDisk(const ThrottledDisk&) = delete;
  ThrottledDisk& operator=(const ThrottledDisk&) = delete;

  // A file on the disk, of which nothing is in memory.
  const std::string& file() const { return file_; }
  void forget_pages() const;
  // For a child: from now on its disk is slow.
  void enter() const;
  // A process that waits for the disk can only end when the disk is fast again.
  void set_slow(bool slow) const;

 private:
  ThrottledDisk(std::string folder, std::string device, std::string file);
  std::string folder_, device_, file_;
};

}  // namespace dpm::sampling
