// OTF2, the Open Trace Format of Score-P, Vampir, Cube and ViTE: a folder (an archive) with definitions, and events for each process.
//
// A process is a location, its number is that of the trace, and its rank in the one communicator is the same number. So tools that know
// MPI show who sends what to whom. Machines are nodes of the system tree, threads are locations of their process's group.
//
//   SEND, RECEIVE          MpiSend, MpiRecv, where the peer is known; the channel is the tag, modulo 2^31
//   RECEIVECALL            Enter of region RECEIVECALL; Leave at the next event of the process
//   every other event      Enter and Leave of a region with the name of its type
//
// Lost in it: sequence numbers, CPU times, and each machine's own clock. What the trace has lost is in the archive's properties.
#pragma once

#include "formats/export/export_format.hpp"

namespace dpm {

ExportFormat make_otf2_export_format();

}  // namespace dpm
