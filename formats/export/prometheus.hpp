// What dpm statistics counts, as Prometheus reads it (text format 0.0.4).
#pragma once

#include "formats/export/export_format.hpp"

namespace dpm {

ExportFormat make_prometheus_export_format();

}  // namespace dpm
