// Traces of Jaeger as JSON: as its page and its HTTP API export them ({"data": [{"spans": ..., "processes": ...}]}), and as its storages hold
// spans, one on each line. API v3 is OTLP (formats/otlp).
//
// A reference CHILD_OF is the parent; FOLLOWS_FROM is a link, a message that is not answered. Times are microseconds.
#pragma once

#include "formats/import/import_format.hpp"

namespace dpm {

ImportFormat make_jaeger_import_format();

}  // namespace dpm
