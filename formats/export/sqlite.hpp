// A SQLite database: tables of what the trace has, and five views with what is asked most often. docs/export.md describes the
// schema.
#pragma once

#include "formats/export/export_format.hpp"

namespace dpm {

ExportFormat make_sqlite_export_format();

}  // namespace dpm
