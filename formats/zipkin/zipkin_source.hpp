// Spans of Zipkin as JSON of its version 2: a list of spans, a list of traces, or one span or list on each line.
//
// A client and the server that it asked may share one id. A client's remoteEndpoint names what it talks to. Times are microseconds.
#pragma once

#include "formats/import/import_format.hpp"

namespace dpm {

ImportFormat make_zipkin_import_format();

}  // namespace dpm
