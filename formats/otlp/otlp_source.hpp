// OpenTelemetry spans (OTLP), as collectors and SDKs write them to files: JSON, one document or many, or protobuf.
#pragma once

#include "formats/import/import_format.hpp"

namespace dpm {

ImportFormat make_otlp_import_format();

}  // namespace dpm
