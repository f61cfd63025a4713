#include "os/kernel/machine_values.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "os/read_file.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kKilobyte = 1024, kSectorBytes = 512, kNsPerMs = 1'000'000;

std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const auto begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) break;
    line.remove_prefix(begin);
    const auto end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end != text.data() ? std::optional(number) : std::nullopt;
}

// The number after a name: "MemTotal:  24683584 kB", "pswpin 0".
std::optional<std::uint64_t> value_named(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const auto words = words_of(take_line(text));
    if (words.size() >= 2 && words[0] == name) return number_in<std::uint64_t>(words[1]);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> times(std::optional<std::uint64_t> value, std::uint64_t unit) {
  return value ? std::optional(*value * unit) : std::nullopt;
}

// "0.20 0.18 0.12 1/80 11206": the first field, and the first number of the fourth.
void add_load(std::string_view loadavg, MachineValues& values) {
  const auto words = words_of(take_line(loadavg));
  if (words.size() < 4) return;
  if (const auto load = number_in<double>(words[0]); load && *load >= 0)
    values[static_cast<std::size_t>(MachineQuantity::load)] =
        static_cast<std::uint64_t>(std::llround(*load * kLoadUnit));
  values[static_cast<std::size_t>(MachineQuantity::runnable_tasks)] = number_in<std::uint64_t>(words[3]);
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "sda1" of "sda", "nvme0n1p2" of "nvme0n1".
bool is_partition_of(std::string_view name, std::string_view disk) {
  if (name.size() <= disk.size() || !name.starts_with(disk)) return false;
  std::string_view rest = name.substr(disk.size());
  const bool ends_in_digit = disk.back() >= '0' && disk.back() <= '9';
  if (ends_in_digit) {
    if (rest.front() != 'p') return false;
    rest.remove_prefix(1);
  }
  return is_digits(rest);
}

bool lies_on_others(std::string_view name) {
  for (const std::string_view kind : {"loop", "ram", "zram", "dm-", "md", "sr", "fd"})
    if (name.starts_with(kind)) return true;
  return false;
}

// "254 0 vda READS MERGED SECTORS MS WRITES MERGED SECTORS MS NOW BUSY_MS ..."
void add_disks(std::string_view diskstats, MachineValues& values) {
  constexpr std::size_t kName = 2, kSectorsRead = 5, kSectorsWritten = 9, kBusyMs = 12;
  std::vector<std::vector<std::string_view>> disks;
  while (!diskstats.empty()) {
    auto words = words_of(take_line(diskstats));
    if (words.size() > kBusyMs && !lies_on_others(words[kName])) disks.push_back(std::move(words));
  }
  std::uint64_t read = 0, written = 0, busy_ms = 0;
  for (const auto& disk : disks) {
    const auto is_whole = [&](const auto& other) { return is_partition_of(disk[kName], other[kName]); };
    if (std::any_of(disks.begin(), disks.end(), is_whole)) continue;
    read += number_in<std::uint64_t>(disk[kSectorsRead]).value_or(0);
    written += number_in<std::uint64_t>(disk[kSectorsWritten]).value_or(0);
    busy_ms += number_in<std::uint64_t>(disk[kBusyMs]).value_or(0);
  }
  if (disks.empty()) return;
  values[static_cast<std::size_t>(MachineQuantity::disk_read_bytes)] = read * kSectorBytes;
  values[static_cast<std::size_t>(MachineQuantity::disk_written_bytes)] = written * kSectorBytes;
  values[static_cast<std::size_t>(MachineQuantity::disk_busy_ns)] = busy_ms * kNsPerMs;
}

}  // namespace

MachineValues machine_values_of(std::string_view loadavg, std::string_view meminfo, std::string_view vmstat,
                                std::string_view diskstats) {
  MachineValues values;
  const auto set = [&values](MachineQuantity quantity, std::optional<std::uint64_t> value) {
    values[static_cast<std::size_t>(quantity)] = value;
  };
  add_load(loadavg, values);
  set(MachineQuantity::memory_bytes, times(value_named(meminfo, "MemTotal:"), kKilobyte));
  set(MachineQuantity::available_bytes, times(value_named(meminfo, "MemAvailable:"), kKilobyte));
  const auto swap = value_named(meminfo, "SwapTotal:"), free = value_named(meminfo, "SwapFree:");
  if (swap && free) set(MachineQuantity::swap_used_bytes, (*swap - std::min(*swap, *free)) * kKilobyte);
  const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  set(MachineQuantity::major_faults, value_named(vmstat, "pgmajfault"));
  set(MachineQuantity::swapped_in_bytes, times(value_named(vmstat, "pswpin"), page_bytes));
  set(MachineQuantity::swapped_out_bytes, times(value_named(vmstat, "pswpout"), page_bytes));
  add_disks(diskstats, values);
  return values;
}

MachineValues read_machine_values() {
  return machine_values_of(read_file("/proc/loadavg"), read_file("/proc/meminfo"), read_file("/proc/vmstat"),
                           read_file("/proc/diskstats"));
}

}  // namespace dpm
