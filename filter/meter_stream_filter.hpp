// The standard filter of our own meters: reads their stream (trace/meter_stream.hpp) from a descriptor, until its end,
// and writes what the rules keep to a new trace directory. Several meters at once, with names, and an account of all
// that did not get here.
#pragma once

#include <string>

#include "model/ledger.hpp"
#include "model/result.hpp"

namespace dpm {

// `templates` is a file of selection rules; without one everything is kept. What has come can be read by others a
// second later, or when nothing more has come for a tenth of one, and stays if this process is killed. An error means
// the file could not be understood, the directory not be made, or the input not be read.
Result<Ledger> filter_meter_stream(const std::string& templates, const std::string& directory, int input);

}  // namespace dpm
