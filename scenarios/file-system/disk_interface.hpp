// Drives the disk: one operation at a time.
//
//   DISK_READ    compute; commands to the disk (seek, read), wait for the last; MOVEDATA into the buffer;
//                compute (check); DISK_DONE; compute (upkeep)
//   DISK_WRITE   compute; DISK_DONE at once, for the data is safe here; MOVEDATA to the driver; commands to the disk
//                (write, verify), wait for the last; compute (check); compute (upkeep)
//
// Upkeep is that of the disk's queue and free map: it comes after the answer and overlaps with the buffer manager. The
// data of a read travel while the operation is checked, so that the answer does not have to wait behind them.
#pragma once

#include "model/program.hpp"

namespace dpm::scenarios::file_system {

ProgramDescription disk_interface();

}  // namespace dpm::scenarios::file_system
