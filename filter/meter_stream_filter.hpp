// The standard filter of our own meters: reads their stream (trace/meter_stream.hpp) from a descriptor, until its end,
// and writes what the rules keep to a new trace directory. The stream may come from several meters, and contains names
// and an account of everything that was lost on the way.
#pragma once

#include <string>

#include "model/ledger.hpp"
#include "model/result.hpp"
#include "trace/trace_form.hpp"

namespace dpm {

// `templates` is a file of selection rules; without one everything is kept. Others can read what has come after a
// second, or after a tenth of a second without input, and it stays if this process is killed. An error means that the
// file could not be parsed, the directory not created, or the input not read. A window counts when messages arrive.
Result<Ledger> filter_meter_stream(const std::string& templates, const std::string& directory, int input,
                                   TraceForm form = {});

}  // namespace dpm
