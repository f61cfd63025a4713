// Who talks to whom as a graph of Graphviz: an arrow for each pair of processes, thicker with more messages.
#pragma once

#include "formats/export/export_format.hpp"

namespace dpm {

ExportFormat make_dot_export_format();

}  // namespace dpm
