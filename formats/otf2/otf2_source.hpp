// An OTF2 archive of an MPI program (Score-P) as a source of events: its point-to-point messages.
//
// A location's time outside of MPI is taken for its CPU time, as Dimemas does: the archive does not say when it had a CPU. So P and
// predictions of a program that computes between its calls are those of the archive, and are inferred. Collective operations are not
// messages; they are counted.
//
// Messages are paired in the order of their SENDs and RECEIVEs, by sender, receiver, communicator and tag. The archive is read by the
// OTF2 library.
#pragma once

#include "formats/import/import_format.hpp"

namespace dpm {

ImportFormat make_otf2_import_format();

}  // namespace dpm
