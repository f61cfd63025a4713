#include "formats/export/export_formats.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "formats/export/csv.hpp"
#include "formats/export/dot.hpp"
#include "formats/export/otf2.hpp"
#include "formats/export/paje.hpp"
#include "formats/export/perfetto.hpp"
#include "formats/export/prometheus.hpp"
#include "formats/export/shiviz.hpp"
#include "formats/export/sqlite.hpp"
#include "model/nearest_name.hpp"

namespace dpm {

std::span<const ExportFormat> export_formats() {
  static const std::array formats = {perfetto_format(), sqlite_format(), csv_format(),        dot_format(),
                                     shiviz_format(),   paje_format(),   prometheus_format(), otf2_format()};
  return formats;
}

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
