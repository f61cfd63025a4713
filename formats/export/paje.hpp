// A Paje trace, which ViTE and pajeng read: machines with their processes, when each waits, and messages as links. Paje wants
// all lines by time, so they are sorted on disk where they do not fit in memory.
#pragma once

#include "formats/export/export_format.hpp"

namespace dpm {

ExportFormat make_paje_export_format();

}  // namespace dpm
