// What the kernel does to prove the programs harmless, each time that they are loaded: a loop that it has to follow once for each
// value of a sum can take it a second, on each start of a meter.

#include <bpf/bpf.h>
#include <unistd.h>

#include <string_view>

#include "backends/linux/bpf/kernel_programs.hpp"
#include "os/unique_fd.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr std::uint32_t kVerifiedMost = 200'000;  // instructions, of a million that the kernel allows

TEST_CASE("eBPF source: the kernel verifies each program in a moment", "[linux][kernel_source]") {
  KernelPrograms::Options options;
  options.ring_bytes = static_cast<std::size_t>(::getpagesize());
  const auto loaded = KernelPrograms::load(options);
  if (!loaded) {
    WARN("not tried: " << loaded.error().what);
    return;
  }
  int ours = 0;
  for (std::uint32_t id = 0; ::bpf_prog_get_next_id(id, &id) == 0;) {
    const UniqueFd program(::bpf_prog_get_fd_by_id(id));
    bpf_prog_info info = {};
    std::uint32_t size = sizeof info;
    if (!program || ::bpf_obj_get_info_by_fd(program.get(), &info, &size) != 0) continue;
    const std::string_view name = info.name;
    if (!name.starts_with("on_")) continue;
    ++ours;
    INFO(name);
    CHECK(info.verified_insns <= kVerifiedMost);
  }
  CHECK(ours > 5);
}

}  // namespace
}  // namespace dpm
