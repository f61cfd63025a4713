// What `dpm events --json` prints, as a source of events: a list of them, or one on each line. Other programs can write it too.
//
// An event needs its type, process and time. Without numbers, messages are taken to be received in the order in which they were sent, by
// sender and channel; this is marked as inferred. Not in the format: pc, load, times of waits for the CPU and the disk, names of
// channels, and which channels a RECEIVECALL asked for.
#pragma once

#include "formats/import/import_format.hpp"

namespace dpm {

ImportFormat make_dpm_json_import_format();

}  // namespace dpm
