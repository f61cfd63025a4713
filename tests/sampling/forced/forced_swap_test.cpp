// A page of swap that is brought back slowly.
#include <sys/mman.h>
#include <sys/swap.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/sampling/forced/forced_process.hpp"
#include "tests/sampling/forced/loop_device.hpp"
#include "tests/sampling/forced/throttled_disk.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sampling {
namespace {

constexpr std::size_t kBytes = 1 << 20, kPage = 4096, kSwapBytes = 32 << 20;

// Swap on a device whose disk can be made slow, and a cgroup that can be made to give up its memory.
class SlowSwap {
 public:
  SlowSwap() : device_(LoopDevice::make(kSwapBytes)) {
    std::error_code error;
    std::filesystem::create_directory(folder_, error);
    is_on_ = device_ && runs("mkswap " + device_->path()) && ::swapon(device_->path().c_str(), 0) == 0;
  }
  SlowSwap(const SlowSwap&) = delete;
  ~SlowSwap() {
    if (is_on_) ::swapoff(device_->path().c_str());
    for (int i = 0; i < 100 && ::rmdir(folder_.c_str()) != 0; ++i) ::usleep(10'000);
  }

  bool is_possible() const { return is_on_ && std::filesystem::exists(folder_ + "/memory.force_empty"); }
  // For a child: memory of which nothing is there any more.
  const volatile char* memory_in_swap() const {
    std::ofstream(folder_ + "/cgroup.procs") << ::getpid() << std::flush;
    auto* memory =
        static_cast<char*>(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memset(memory, 7, kBytes);
    ::madvise(memory, kBytes, MADV_PAGEOUT);
    ::usleep(200'000);
    std::ofstream(folder_ + "/memory.force_empty") << 0 << std::flush;
    return memory;
  }

 private:
  std::string folder_ = "/sys/fs/cgroup/memory/dpm_swap_" + std::to_string(::getpid());
  std::unique_ptr<LoopDevice> device_;
  bool is_on_ = false;
};

TEST_CASE("forced: pages of swap", "[sampling]") {
  std::string reason = "no swap can be made here, or no cgroup gives up its memory";
  const SlowSwap swap;
  const auto disk = swap.is_possible() ? ThrottledDisk::make(reason) : nullptr;
  if (!disk) {
    std::cout << "SKIPPED: " << reason << std::endl;
    return;
  }
  disk->set_slow(true);
  ForcedStates forced;
  forced.add(State::swap, [&] {
    const volatile char* memory = swap.memory_in_swap();
    disk->enter();
    for (std::size_t at = 0; at < kBytes; at += kPage) static_cast<void>(memory[at]);
  });
  for (const auto& found : forced.sampled(100)) {
    INFO("from " << found.source << ": " << found_text(found.counts));
    CHECK(share_in(found.counts, {found.expected}) >= .99);
  }
  disk->set_slow(false);
}

}  // namespace
}  // namespace dpm::sampling
