#include "backends/linux/custody/acquire/code_room.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "backends/linux/calls/metered_call.hpp"
#include "backends/linux/custody/acquire/injected_code.hpp"
#include "os/kernel/filter_call.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr std::size_t kBytes = 700;

std::vector<MemoryMapping> own_mappings() {
  std::ifstream file("/proc/self/maps");
  return parse_mappings({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

const MemoryMapping* mapping_of(const std::vector<MemoryMapping>& mappings, std::uint64_t address) {
  for (const auto& mapping : mappings) {
    if (mapping.begin <= address && address < mapping.end) return &mapping;
  }
  return nullptr;
}

Injected something_injected(const std::vector<SeccompInstruction>& filter) {
  Injected injected;
  injected.filter = filter;
  injected.spare_number = 999;
  injected.blocked_signals = 0x1234;
  injected.registers.rip = 0x7f0011223344;
  injected.registers.rbx = 0x1122334455667788;
  return injected;
}

}  // namespace

TEST_CASE("acquire: lines of /proc/PID/maps", "[linux]") {
  const auto mappings = parse_mappings(
      "00400000-00401000 r-xp 00001000 08:01 1234                       /tmp/a program\n"
      "7ffd0000-7ffd2000 r-xp 00000000 00:00 0                          [vdso]\n"
      "nonsense\n"
      "7ffe0000-7ffe1000 rw-s 00000000 00:00 0 \n");
  REQUIRE(mappings.size() == 3);
  CHECK(mappings[0].begin == 0x400000);
  CHECK(mappings[0].end == 0x401000);
  CHECK(mappings[0].file_offset == 0x1000);
  CHECK(mappings[0].executable);
  CHECK_FALSE(mappings[0].shared);
  CHECK(mappings[0].name == "/tmp/a program");
  CHECK(mappings[1].name == "[vdso]");
  CHECK(mappings[2].shared);
  CHECK(mappings[2].name.empty());
}

TEST_CASE("acquire: there is room for the code in the vdso, and behind the code of files", "[linux]") {
  const auto pid = static_cast<std::uint32_t>(::getpid());
  const auto mappings = own_mappings();
  const auto in_vdso = room_in_vdso(pid, kBytes);
  if (in_vdso) {
    const auto* at = reinterpret_cast<const unsigned char*>(*in_vdso);
    CHECK(std::all_of(at, at + kBytes, [](unsigned char byte) { return byte == 0; }));
    CHECK(mapping_of(mappings, *in_vdso + kBytes - 1)->name == "[vdso]");
  } else {
    WARN("SKIPPED: no room in this kernel's vdso");
  }
  CHECK_FALSE(room_in_vdso(pid, 4097));
  const auto behind = room_behind_code(pid, mappings, kBytes);
  REQUIRE(behind);
  const auto* mapping = mapping_of(mappings, *behind);
  REQUIRE(mapping != nullptr);
  CHECK(mapping->executable);
  CHECK(*behind % 16 == 0);
  CHECK(*behind + kBytes <= mapping->end);
  // Behind all code: within the last page, and no function of ours is there.
  CHECK(mapping->end - *behind <= 4096);
  CHECK_FALSE(room_behind_code(pid, mappings, 4097));
}

TEST_CASE("acquire: injected code is as long wherever it stands, and carries the filter", "[linux]") {
  const auto filter = seccomp_program({harmless_calls(), {}});
  const auto low = injected_code(something_injected(filter), 0x400010);
  const auto high = injected_code(something_injected(filter), 0x7fff00000000);
  CHECK(low.bytes.size() == high.bytes.size());
  CHECK(low.bytes.size() % 8 == 0);
  CHECK(low.bytes.size() < 1024);
  CHECK(std::memcmp(high.bytes.data(), filter.data(), filter.size() * sizeof(SeccompInstruction)) == 0);
  FilterProgram program;
  std::memcpy(&program, high.bytes.data() + filter.size() * sizeof(SeccompInstruction), sizeof program);
  CHECK(program.instruction_count == filter.size());
  CHECK(program.instructions == 0x7fff00000000);
  CHECK(high.begin > high.begin_without_privileges);
  CHECK(high.begin < 0x7fff00000000 + high.bytes.size());
}

}  // namespace dpm
