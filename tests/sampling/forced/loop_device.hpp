// A block device that is a file: what it reads and writes goes to the disk of the file, uncached, and for the cgroup that asked for
// it. Needs root and loop devices.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace dpm::sampling {

class LoopDevice {
 public:
  // Empty if it cannot be had here.
  static std::unique_ptr<LoopDevice> make(std::size_t bytes);
  LoopDevice(const LoopDevice&) = delete;
  ~LoopDevice();

  const std::string& path() const { return path_; }  // "/dev/loop0"
  std::string number() const;                        // "7:0"

 private:
  LoopDevice(std::string image, std::string path) : image_(std::move(image)), path_(std::move(path)) {}
  std::string image_, path_;
};

// Whether the command succeeded. Its output is thrown away.
bool runs(const std::string& command);

}  // namespace dpm::sampling
