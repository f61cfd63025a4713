// A program is not harmed when its meter dies: its keeper (keeper_process.hpp) then answers its calls, until the program
// ends or another meter takes over.
//
//     supervisor ── start_keeper() ──► keeper ── answers as soon as the supervisor is dead
//     another dpm ── take_over(pid) ──► gets the listener and the slots from the keeper
//
// Both killed: rescue.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/linux/custody/keeper/kept_programs.hpp"
#include "backends/linux/program/metered_program.hpp"
#include "model/result.hpp"

namespace dpm {

// The process that meters the program calls this before the program may run. Afterwards it may be killed at any time, and
// no call of the program fails.
//
// `outputs`: pipes from which we read the program's output. A program that writes to a pipe without a reader is killed.
// Therefore the keeper reads them when we are dead, and discards the output.
Result<void> start_keeper(const MeteredProgram& program, std::vector<UniqueFd> outputs = {});

// The calling process becomes the meter of a kept program that has none. `pid` is any process of it. `from_start` is false,
// because earlier events were not seen. Refused, with the reason, if the process does not belong to a kept program, if
// another process meters it, or if the keeper belongs to another account.
Result<MeteredProgram> take_over(std::uint32_t pid);
Result<MeteredProgram> take_over(const KeptProgram& program);

// The calling process, which has metered the program until now, leaves its calls to the keeper. Calls that it does not
// answer itself after this are let go, held ones included.
Result<void> leave_to_keeper(const MeteredProgram& program);

}  // namespace dpm
