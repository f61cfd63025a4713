// The list of formats that `dpm import` reads.
#pragma once

#include <span>
#include <string>

#include "formats/import/import_format.hpp"

namespace dpm {

std::span<const ImportFormat> import_formats();

// Refuses a name that is not in the list, with the nearest.
Result<const ImportFormat*> import_format_named(const std::string& name);

}  // namespace dpm
