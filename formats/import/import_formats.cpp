#include "formats/import/import_formats.hpp"

#include <fmt/format.h>

#include "model/nearest_name.hpp"

namespace dpm {

Result<const ImportFormat*> import_format_named(const std::string& name) {
  std::vector<std::string> names;
  for (const ImportFormat& format : import_formats()) {
    if (format.name == name) return &format;
    names.emplace_back(format.name);
  }
  return Error{
      fmt::format("--from: no format '{}'{}; there are: {}", name, did_you_mean(name, names), fmt::join(names, ", "))};
}

}  // namespace dpm
