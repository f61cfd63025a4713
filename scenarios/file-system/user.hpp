// A user of the file system: thinks, asks, waits for the answer, and begins again. Two classes (thesis 5.3.1):
//
//   sequential   writes a file from its beginning to its end, then reads it, then begins a new file
//   random       reads and writes blocks anywhere in a file that exists
#pragma once

#include "model/program.hpp"

namespace dpm::scenarios::file_system {

ProgramDescription user();

}  // namespace dpm::scenarios::file_system
