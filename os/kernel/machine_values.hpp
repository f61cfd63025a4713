// What /proc says of the whole machine: load, memory, paging, disks. All four files together cost about 100 us.
#pragma once

#include <string_view>

#include "model/machine_quantity.hpp"

namespace dpm {

// The texts of /proc/loadavg, meminfo, vmstat and diskstats. What a text does not have stays unknown. Disks are whole disks: not
// partitions, nor devices that lie on others (loop, ram, zram, dm, md), whose work the disks below them count.
MachineValues machine_values_of(std::string_view loadavg, std::string_view meminfo, std::string_view vmstat,
                                std::string_view diskstats);

MachineValues read_machine_values();

}  // namespace dpm
