// The ledger as one line for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/ledger.hpp"
#include "text/terminal.hpp"

namespace dpm::cli {

// Prints "ledger: 10012 seen = 10000 kept + 12 filtered + 0 lost" and a line for every loss and warning on stderr. If the
// source reports that something was not checkable (model/unchecked.hpp): "0 lost where it could be checked".
void print_ledger(const Ledger& ledger, Terminal& terminal);

nlohmann::ordered_json ledger_json(const Ledger& ledger);

}  // namespace dpm::cli
