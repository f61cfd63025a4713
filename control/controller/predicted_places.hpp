// `addprocess JOB auto PROGRAM` and `startjob JOB --place`: machines by what earlier traces of the same computation predict.
//
// `dpm predict TRACE --search --write FILE` has made the placement. In a trace, processes of one program are called "A", "A#2", ...: the k-th
// process of a program that the job gets is the k-th of that program there.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "control/controller/computation.hpp"
#include "control/controller/console.hpp"
#include "model/result.hpp"

namespace dpm::control {

inline constexpr std::string_view kAutomatic = "auto";

// Reads a placement: machine by process. Null: there are no placements.
using LoadPlacement = std::function<Result<std::map<std::string, std::string>>(const std::string& path)>;

// The machine of the next process of this program.
Result<std::string> next_machine(const Job& job, const std::string& program);

// A line for each process that is not where the placement has it.
Lines suggestions(const Job& job);

}  // namespace dpm::control
