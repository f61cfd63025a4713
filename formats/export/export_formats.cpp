#include "formats/export/export_formats.hpp"

#include <fmt/format.h>

#include <vector>

#include "model/nearest_name.hpp"

namespace dpm {

Result<const ExportFormat*> export_format_named(std::string_view name) {
  std::vector<std::string> names;
  std::string all;
  for (const ExportFormat& format : export_formats()) {
    if (format.name == name) return &format;
    names.emplace_back(format.name);
    all += fmt::format("{}{}", all.empty() ? "" : ", ", format.name);
  }
  const std::string nearest = nearest_name(std::string(name), names);
  return Error{fmt::format("--to: no format '{}'; {}", name,
                           nearest.empty() ? "there are " + all : fmt::format("did you mean '{}'?", nearest))};
}

}  // namespace dpm
