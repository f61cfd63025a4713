// What DPM keeps for its user on this machine's disk: the logs of filters, and the files that controllers have copied here.
// They stay until the user removes them.
//
//     ~/.local/state/dpm/logs/NAME-PID/        a log; its collector holds a lock on the folder
//     ~/.cache/dpm/files/CONTENT/NAME          a copy
#pragma once

#include <vector>

#include "control/protocol/control_message.hpp"
#include "model/result.hpp"

namespace dpm {

// `managed`: what the daemon manages. Its filters use their logs.
control::KeptFiles list_kept_files(const std::vector<control::ManagedProcess>& managed);

// The path of the log of this name, whether or not a filter still writes it.
Result<std::string> kept_log(const std::string& name);

// Refused while something uses it, and if the name leads elsewhere.
Result<void> remove_kept_file(const control::RemoveKept& request, const std::vector<control::ManagedProcess>& managed);

}  // namespace dpm
