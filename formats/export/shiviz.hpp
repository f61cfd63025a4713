// A log with vector clocks, which ShiViz draws as a space-time diagram; its default parser reads it.
//
// A vector clock can be computed only when those of all causes are known, and a trace has the events of one machine after
// those of another. So this format keeps 32 bytes of each event until the end.
#pragma once

#include "formats/export/export_format.hpp"

namespace dpm {

ExportFormat make_shiviz_export_format();

}  // namespace dpm
