// Trace events as JSON, as chromium --trace-startup, Perfetto's older exporters and many other tools write them, and as `dpm export --to
// perfetto` does.
//
// A thread becomes a process. An arrow (flow) from thread to thread is a message: from its beginning ("s") over its steps ("t") to its end ("f"),
// and from a slice with "flow_out" to those with "flow_in" and the same "bind_id". Slices are the work of a thread, and no events. The size of a
// message is "bytes" among the arguments of the slice that begins with the arrow, or not known.
#pragma once

#include "formats/import/import_format.hpp"

namespace dpm {

ImportFormat make_chrome_import_format();

}  // namespace dpm
