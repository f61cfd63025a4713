// All formats that `dpm export` can write.
#pragma once

#include <span>

#include "formats/export/export_format.hpp"

namespace dpm {

// In alphabetical order. The list is generated (formats/export/registry.cpp.in).
std::span<const ExportFormat> export_formats();

// None with this name: the error names the nearest.
Result<const ExportFormat*> export_format_named(std::string_view name);

}  // namespace dpm
