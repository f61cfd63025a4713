// A queue in front of a disk: a writer has more dirty pages than the kernel allows for its device, and is held back.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/sampling/forced/forced_process.hpp"
#include "tests/sampling/forced/loop_device.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sampling {
namespace {

// A file system of its own device, which may have few dirty pages.
class StrictFileSystem {
 public:
  StrictFileSystem() : device_(LoopDevice::make(64 << 20)) {
    if (!device_ || !runs("mkfs.ext4 -q -F -O ^has_journal " + device_->path())) return;
    std::filesystem::create_directories(folder_);
    is_mounted_ = runs("mount -o noatime " + device_->path() + " " + folder_);
    const std::string limits = "/sys/class/bdi/" + device_->number();
    std::ofstream strict(limits + "/strict_limit"), most(limits + "/max_bytes");
    is_strict_ = (strict << 1 << std::flush) && (most << 65536 << std::flush);
  }
  StrictFileSystem(const StrictFileSystem&) = delete;
  ~StrictFileSystem() {
    if (is_mounted_) runs("umount " + folder_);
    std::error_code error;
    std::filesystem::remove(folder_, error);
  }

  bool is_possible() const { return is_mounted_ && is_strict_; }
  std::string file() const { return folder_ + "/file"; }

 private:
  std::string folder_ = "/var/tmp/dpm_strict_" + std::to_string(::getpid());
  std::unique_ptr<LoopDevice> device_;
  bool is_mounted_ = false, is_strict_ = false;
};

[[noreturn]] void write_on(const std::string& path) {
  static const std::array<char, 4096> block = {};
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
  for (off_t at = 0;; at = (at + 4096) % (16 << 20))
    if (::pwrite(fd, block.data(), block.size(), at) < 0) ::_exit(2);
}

TEST_CASE("forced: the queue in front of a disk", "[sampling]") {
  const StrictFileSystem strict;
  if (!strict.is_possible()) {
    std::cout << "SKIPPED: no file system can be made here whose device has a limit of dirty pages" << std::endl;
    return;
  }
  ForcedStates forced;
  forced.add(State::busy_block, [&] { write_on(strict.file()); });
  for (const auto& found : forced.sampled(400)) {
    INFO("from " << found.source << ": " << found_text(found.counts));
    CHECK(share_in(found.counts, {State::cpu_run, State::cpu_queue}) < .5);
    CHECK(share_of_waits_in(found.counts, {found.expected}) >= .99);
  }
}

}  // namespace
}  // namespace dpm::sampling
