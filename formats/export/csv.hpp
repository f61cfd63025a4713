// One line for each event, as RFC 4180 has it. Losses and warnings are the last lines, with the type LOSS or WARNING.
#pragma once

#include "formats/export/export_format.hpp"

namespace dpm {

ExportFormat make_csv_export_format();

}  // namespace dpm
