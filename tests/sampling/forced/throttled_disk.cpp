#include "tests/sampling/forced/throttled_disk.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

namespace dpm::sampling {
namespace {

constexpr std::size_t kBytes = 4 << 20;

// Empty if a part of a disk was meant: limits are those of whole ones.
std::string device_of(const std::string& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) return "";
  const std::string name = fmt::format("{}:{}", major(status.st_dev), minor(status.st_dev));
  std::error_code error;
  if (!std::filesystem::exists("/sys/dev/block/" + name + "/partition", error)) return name;
  std::ifstream whole("/sys/dev/block/" + name + "/../dev");
  std::string device;
  whole >> device;
  return device;
}

bool write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return static_cast<bool>(file);
}

}  // namespace

std::unique_ptr<ThrottledDisk> ThrottledDisk::make(std::string& reason) {
  static int made = 0;  // a cgroup that was fast may make up for it when it becomes slow, so each has a new one
  const std::string name = fmt::format("dpm_forced_{}_{}", ::getpid(), ++made);
  const std::string file = "/var/tmp/" + name;
  std::ofstream(file) << std::string(kBytes, 'x');
  const int fd = ::open(file.c_str(), O_RDONLY);
  ::fsync(fd);
  ::close(fd);
  for (const std::string mount : {"/sys/fs/cgroup/blkio/", "/sys/fs/cgroup/"}) {
    std::error_code error;
    std::filesystem::create_directory(mount + name, error);
    std::unique_ptr<ThrottledDisk> disk(new ThrottledDisk(mount + name, device_of(file), file));
    const bool has_limits = std::filesystem::exists(mount + name + "/io.max", error) ||
                            std::filesystem::exists(mount + name + "/blkio.throttle.read_bps_device", error);
    if (!error && has_limits && !disk->device_.empty()) return disk;
  }
  reason = "no cgroup with limits of block devices can be made here";
  return nullptr;
}

ThrottledDisk::ThrottledDisk(std::string folder, std::string device, std::string file)
    : folder_(std::move(folder)), device_(std::move(device)), file_(std::move(file)) {}

ThrottledDisk::~ThrottledDisk() {
  ::rmdir(folder_.c_str());
  ::unlink(file_.c_str());
}

// The kernel keeps a page that another CPU has just used, so it is asked until none is left.
void ThrottledDisk::forget_pages() const {
  const int fd = ::open(file_.c_str(), O_RDONLY);
  void* memory = ::mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, fd, 0);
  std::vector<unsigned char> pages(kBytes / static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  for (int i = 0; i < 200; ++i) {
    ::fsync(fd);
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    ::mincore(memory, kBytes, pages.data());
    if (std::none_of(pages.begin(), pages.end(), [](unsigned char page) { return (page & 1) != 0; })) break;
    ::usleep(10'000);
  }
  ::munmap(memory, kBytes);
  ::close(fd);
}

void ThrottledDisk::enter() const { write_text(folder_ + "/cgroup.procs", std::to_string(::getpid())); }

void ThrottledDisk::set_slow(bool slow) const {
  if (std::filesystem::exists(folder_ + "/io.max")) {
    write_text(folder_ + "/io.max", device_ + (slow ? " rbps=2000 wbps=2000" : " rbps=max wbps=max"));
    return;
  }
  for (const char* way : {"read", "write"})
    write_text(fmt::format("{}/blkio.throttle.{}_bps_device", folder_, way), device_ + (slow ? " 2000" : " 0"));
}

}  // namespace dpm::sampling
