// Spans as a source of events: services become processes, and calls between them messages.
//
//   client   ---[ client span        ]---      SEND at its begin, RECEIVECALL, RECEIVE at its end
//                \                  /
//   server        [ server span    ]           RECEIVE at its begin, SEND at its end
//
// A span whose parent is a span of another process was asked by it, and so was a server span that shares its id with a client span (Zipkin).
// A producer is not answered. A link to a span of another process is a message of it. A server or consumer span without a parent was asked by
// "outside"; a client or producer span that asked no span of the file asked "outside NAME". Spans inside one process are its work, and no
// events. When messages arrived is inferred: a span begins a little later.
//
// Times are by the clock of the machine; a process whose machine is not known has one of its own. CPU times are not known.
#pragma once

#include <memory>
#include <string_view>

#include "formats/import/import_format.hpp"
#include "formats/spans/span_set.hpp"

namespace dpm {

// `format` is the name of the source. Refuses a set without spans, and one with more processes than a trace can have.
Result<std::unique_ptr<ImportSource>> make_span_source(std::string_view format, const std::string& path, SpanSet spans);

}  // namespace dpm
