// OpenTelemetry spans as a source of events: services become processes, and calls between them messages.
//
//   client   ---[ client span        ]---      SEND at its begin, RECEIVECALL, RECEIVE at its end
//                \                  /
//   server        [ server span    ]           RECEIVE at its begin, SEND at its end
//
// A span whose parent is a span of another process was asked by it. A producer is not answered. A server span without a parent was asked
// by "outside". Spans inside one process are not events. When messages arrived is inferred: a span begins a little later.
//
// Times are by the clock of the machine (host.name); a process whose machine is not known has one of its own. CPU times are not known.
#pragma once

#include "formats/import/import_format.hpp"

namespace dpm {

ImportFormat otlp_import_format();

}  // namespace dpm
