#include "os/kernel/machine_values.hpp"

#include <unistd.h>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

std::uint64_t of(const MachineValues& values, MachineQuantity quantity) {
  const auto& value = values[static_cast<std::size_t>(quantity)];
  REQUIRE(value.has_value());
  return *value;
}

constexpr const char* kDisks =
    "   7       0 loop0 9 0 900 0 9 0 900 0 0 90 0\n"
    "   8       0 sda 10 0 100 0 20 0 40 0 0 7 0 0 0 0 0 0 0\n"
    "   8       1 sda1 10 0 99 0 20 0 39 0 0 6 0\n"
    "   8      16 sdab 1 0 8 0 1 0 16 0 0 1 0\n"
    " 259       0 nvme0n1 5 0 50 0 5 0 60 0 0 3 0\n"
    " 259       1 nvme0n1p1 5 0 49 0 5 0 59 0 0 2 0\n"
    " 253       0 dm-0 5 0 149 0 5 0 99 0 0 9 0\n"
    " 252       0 zram0 5 0 149 0 5 0 99 0 0 9 0\n";

}  // namespace

TEST_CASE("machine values: each file of /proc says its part", "[kernel]") {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const MachineValues values = machine_values_of(
      "1.25 0.80 0.40 3/120 4711\n",
      "MemTotal:        8000 kB\nMemFree:   100 kB\nMemAvailable:    6000 kB\nSwapTotal: 500 kB\nSwapFree: 400 kB\n",
      "pgpgin 5\npswpin 3\npswpout 4\npgmajfault 11\n", kDisks);
  CHECK(of(values, MachineQuantity::load) == 125);
  CHECK(of(values, MachineQuantity::runnable_tasks) == 3);
  CHECK(of(values, MachineQuantity::memory_bytes) == 8000 * 1024);
  CHECK(of(values, MachineQuantity::available_bytes) == 6000 * 1024);
  CHECK(of(values, MachineQuantity::swap_used_bytes) == 100 * 1024);
  CHECK(of(values, MachineQuantity::major_faults) == 11);
  CHECK(of(values, MachineQuantity::swapped_in_bytes) == 3 * page);
  CHECK(of(values, MachineQuantity::swapped_out_bytes) == 4 * page);
  CHECK(of(values, MachineQuantity::disk_read_bytes) == (100 + 8 + 50) * 512);
  CHECK(of(values, MachineQuantity::disk_written_bytes) == (40 + 16 + 60) * 512);
  CHECK(of(values, MachineQuantity::disk_busy_ns) == (7 + 1 + 3) * std::uint64_t{1'000'000});
}

TEST_CASE("machine values: what the kernel does not tell stays unknown", "[kernel]") {
  for (const auto& value : machine_values_of("", "", "", "")) CHECK_FALSE(value.has_value());
  for (const auto& value : machine_values_of("load", "MemTotal: many kB", "pswpin", "1 2 sda"))
    CHECK_FALSE(value.has_value());
}

TEST_CASE("machine values: this machine has a load and memory", "[kernel]") {
  const MachineValues values = read_machine_values();
  CHECK(values[static_cast<std::size_t>(MachineQuantity::load)].has_value());
  CHECK(of(values, MachineQuantity::available_bytes) <= of(values, MachineQuantity::memory_bytes));
}

}  // namespace dpm
