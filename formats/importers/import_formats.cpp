#include "formats/importers/import_formats.hpp"

#include <fmt/format.h>

#include <array>

#include "formats/dpm_json/dpm_json_source.hpp"
#include "formats/otf2/otf2_source.hpp"
#include "formats/otlp/otlp_source.hpp"
#include "formats/strace/strace_source.hpp"
#include "model/nearest_name.hpp"

namespace dpm {

std::span<const ImportFormat> import_formats() {
  static const std::array formats = {strace_format(), otlp_format(), otf2_import_format(), dpm_json_format()};
  return formats;
}

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
