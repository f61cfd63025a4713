// A process that waits for memory, which needs a cgroup whose limit nothing lifts.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/sampling/forced/forced_process.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sampling {
namespace {

constexpr std::size_t kLimit_bytes = 8 << 20;

// Of the first version of cgroups: a process beyond the limit waits, instead of being killed. "" if it cannot be made.
std::string make_limit() {
  const std::string folder = "/sys/fs/cgroup/memory/dpm_limit_" + std::to_string(::getpid());
  std::error_code error;
  if (!std::filesystem::create_directory(folder, error)) return "";
  std::ofstream limit(folder + "/memory.limit_in_bytes"), on_oom(folder + "/memory.oom_control");
  if (limit << kLimit_bytes << std::flush && on_oom << 1 << std::flush) return folder;
  ::rmdir(folder.c_str());
  return "";
}

TEST_CASE("forced: memory beyond the limit of a cgroup", "[sampling]") {
  const std::string folder = make_limit();
  if (folder.empty()) {
    std::cout << "SKIPPED: no cgroup with a limit of memory at which processes wait can be made here" << std::endl;
    return;
  }
  {
    ForcedStates forced;
    forced.add(State::memory_reclaim, [&] {
      std::ofstream(folder + "/cgroup.procs") << ::getpid() << std::flush;
      void* bytes = ::mmap(nullptr, 4 * kLimit_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      std::memset(bytes, 1, 4 * kLimit_bytes);
    });
    for (const auto& found : forced.sampled()) {
      INFO("from " << found.source << ": " << found_text(found.counts));
      CHECK(share_in(found.counts, {found.expected}) >= .99);
    }
  }
  for (int i = 0; i < 100 && ::rmdir(folder.c_str()) != 0; ++i) ::usleep(10'000);
}

}  // namespace
}  // namespace dpm::sampling
