// The formats that `dpm import` reads: those that folders of formats/ register with dpm_import_format().
#pragma once

#include <span>
#include <string>

#include "formats/import/import_format.hpp"

namespace dpm {

// In the order of their places. The list is generated (formats/import/registry.cpp.in).
std::span<const ImportFormat> import_formats();

// Refuses a name that is not in the list, with the nearest.
Result<const ImportFormat*> import_format_named(const std::string& name);

}  // namespace dpm
