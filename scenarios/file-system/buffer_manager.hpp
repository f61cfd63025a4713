// Keeps blocks of the disk in memory. It works on one request at a time: while the disk interface works for it, it
// receives from no other process.
//
//   READ, WRITE, LOOK_UP   compute (search the buffers)
//                          for each disk operation (block_cache.hpp): to the disk interface; compute; wait for it
//                          compute; READ: MOVEDATA to the user; DONE to the requester
//                          compute (upkeep of the buffers: overlaps with the other processes)
//
// An oblivious buffer manager has no cache: it draws whether a request needs the disk.
#pragma once

#include "model/program.hpp"

namespace dpm::scenarios::file_system {

ProgramDescription buffer_manager();

}  // namespace dpm::scenarios::file_system
