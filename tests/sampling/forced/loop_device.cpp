#include "tests/sampling/forced/loop_device.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

namespace dpm::sampling {
namespace {

std::string first_line_of(const std::string& command) {
  std::FILE* output = ::popen(command.c_str(), "r");
  if (output == nullptr) return "";
  std::array<char, 200> line = {};
  const bool has_line = std::fgets(line.data(), line.size(), output) != nullptr;
  const bool succeeded = ::pclose(output) == 0;
  std::string text = has_line && succeeded ? line.data() : "";
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

bool runs(const std::string& command) { return std::system((command + " > /dev/null 2>&1").c_str()) == 0; }

std::unique_ptr<LoopDevice> LoopDevice::make(std::size_t bytes) {
  const std::string image = "/var/tmp/dpm_loop_" + std::to_string(::getpid());
  {
    std::ofstream file(image, std::ios::binary);
    const std::vector<char> block(1 << 20);
    for (std::size_t at = 0; at < bytes; at += block.size()) file.write(block.data(), 1 << 20);
  }
  const std::string path = first_line_of("losetup -f --show --direct-io=on " + image + " 2> /dev/null");
  if (!path.empty()) return std::unique_ptr<LoopDevice>(new LoopDevice(image, path));
  ::unlink(image.c_str());
  return nullptr;
}

LoopDevice::~LoopDevice() {
  runs("losetup -d " + path_);
  ::unlink(image_.c_str());
}

std::string LoopDevice::number() const {
  std::ifstream file("/sys/block/" + path_.substr(path_.rfind('/') + 1) + "/dev");
  std::string number;
  file >> number;
  return number;
}

}  // namespace dpm::sampling
