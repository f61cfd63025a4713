// What a SUMMARY says of its machine: load, memory, paging and disks (1988 paper V.B).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/event.hpp"

namespace dpm {

// The numbers are Event::code, on disk, so they never change.
enum class MachineQuantity : std::uint32_t {
  load = 0,             // the kernel's average of the last minute, in hundredths
  runnable_tasks = 1,   // at that moment
  memory_bytes = 2,     // that the machine has
  available_bytes = 3,  // that programs could still get without swapping
  swap_used_bytes = 4,
  major_faults = 5,  // counted, as are all below: pages that had to be read from a disk
  swapped_in_bytes = 6,
  swapped_out_bytes = 7,
  disk_read_bytes = 8,  // of all disks together
  disk_written_bytes = 9,
  disk_busy_ns = 10,  // the time in which a disk had something to do, added up over the disks
};

struct MachineQuantityKind {
  MachineQuantity quantity;
  std::string_view name;
  bool is_counted;  // its values add up
};

inline constexpr std::array kMachineQuantities = {
    MachineQuantityKind{MachineQuantity::load, "load", false},
    MachineQuantityKind{MachineQuantity::runnable_tasks, "runnable_tasks", false},
    MachineQuantityKind{MachineQuantity::memory_bytes, "memory_bytes", false},
    MachineQuantityKind{MachineQuantity::available_bytes, "available_bytes", false},
    MachineQuantityKind{MachineQuantity::swap_used_bytes, "swap_used_bytes", false},
    MachineQuantityKind{MachineQuantity::major_faults, "major_faults", true},
    MachineQuantityKind{MachineQuantity::swapped_in_bytes, "swapped_in_bytes", true},
    MachineQuantityKind{MachineQuantity::swapped_out_bytes, "swapped_out_bytes", true},
    MachineQuantityKind{MachineQuantity::disk_read_bytes, "disk_read_bytes", true},
    MachineQuantityKind{MachineQuantity::disk_written_bytes, "disk_written_bytes", true},
    MachineQuantityKind{MachineQuantity::disk_busy_ns, "disk_busy_ns", true},
};
static_assert([] {
  for (std::size_t i = 0; i < kMachineQuantities.size(); ++i)
    if (static_cast<std::size_t>(kMachineQuantities[i].quantity) != i) return false;
  return true;
}());

inline constexpr double kLoadUnit = 100;  // of MachineQuantity::load

// By the number of the quantity; none: the machine does not tell. What is counted, since the machine was started.
using MachineValues = std::array<std::optional<std::uint64_t>, kMachineQuantities.size()>;

// "unknown" for quantities that a later version defines.
constexpr std::string_view name_of(MachineQuantity quantity) {
  const auto number = static_cast<std::size_t>(quantity);
  return number < kMachineQuantities.size() ? kMachineQuantities[number].name : "unknown";
}

constexpr std::optional<MachineQuantity> machine_quantity_from_name(std::string_view name) {
  for (const MachineQuantityKind& kind : kMachineQuantities)
    if (kind.name == name) return kind.quantity;
  return std::nullopt;
}

// Of a SUMMARY; none: a later version defines it.
inline const MachineQuantityKind* quantity_of(const Event& event) {
  return event.code < kMachineQuantities.size() ? &kMachineQuantities[event.code] : nullptr;
}

}  // namespace dpm
