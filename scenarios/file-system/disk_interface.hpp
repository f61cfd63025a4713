// Drives the disk: one operation at a time.
//
//   DISK_READ    compute; command to the disk, wait; compute; MOVEDATA into the buffer; DISK_DONE; compute (upkeep)
//   DISK_WRITE   compute; DISK_DONE at once, for the operation is safe with us; MOVEDATA to the driver; two commands to
//                the disk (write, verify), wait for the second; compute; compute (upkeep)
//
// Upkeep is that of the disk's queue and free map: it comes after the answer and overlaps with the buffer manager.
#pragma once

#include "model/program.hpp"

namespace dpm::scenarios::file_system {

ProgramDescription disk_interface();

}  // namespace dpm::scenarios::file_system
