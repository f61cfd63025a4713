// Chrome's trace-event JSON, which Perfetto and the trace viewer of Catapult show: a row for each process, messages as arrows.
//
// Each event is a slice of at most a microsecond, and a RECEIVECALL lasts until the next event of its process: that is how
// long the process waited. MESSAGEQUEUED, which happens to a process and not in it, is an instant. What the trace has lost
// is in "otherData".
#pragma once

#include "formats/export/export_format.hpp"

namespace dpm {

ExportFormat make_perfetto_export_format();

}  // namespace dpm
