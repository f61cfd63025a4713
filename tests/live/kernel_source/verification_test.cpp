// What the kernel does to prove the programs harmless, each time that they are loaded: a loop that it has to follow once for each
// value of a sum can take it a second, on each start of a meter.

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "backends/linux/bpf/kernel_programs.hpp"
#include "os/unique_fd.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr std::uint32_t kVerifiedMost = 200'000;  // instructions, of a million that the kernel allows

long ask_kernel(bpf_cmd command, bpf_attr& about) { return ::syscall(SYS_bpf, command, &about, sizeof about); }

TEST_CASE("eBPF source: the kernel verifies each program in a moment", "[linux][kernel_source]") {
  KernelPrograms::Options options;
  options.ring_bytes = static_cast<std::size_t>(::getpagesize());
  const auto loaded = KernelPrograms::load(options);
  if (!loaded) {
    WARN("not tried: " << loaded.error().what);
    return;
  }
  int ours = 0;
  bpf_attr next = {};
  for (; ask_kernel(BPF_PROG_GET_NEXT_ID, next) == 0; next.start_id = next.next_id) {
    bpf_attr which = {}, asked = {};
    which.prog_id = next.next_id;
    const UniqueFd program(static_cast<int>(ask_kernel(BPF_PROG_GET_FD_BY_ID, which)));
    bpf_prog_info info = {};
    asked.info.bpf_fd = static_cast<std::uint32_t>(program.get());
    asked.info.info_len = sizeof info;
    asked.info.info = reinterpret_cast<std::uint64_t>(&info);
    if (!program || ask_kernel(BPF_OBJ_GET_INFO_BY_FD, asked) != 0) continue;
    const std::string_view name(info.name, ::strnlen(info.name, sizeof info.name));
    if (!name.starts_with("on_")) continue;
    ++ours;
    INFO(name);
    CHECK(info.verified_insns <= kVerifiedMost);
  }
  CHECK(ours > 5);
}

}  // namespace
}  // namespace dpm
