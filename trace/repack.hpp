// The same trace in another directory, with its packets packed (packed_packet.hpp) or plain.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.hpp"

namespace dpm {

struct Repacked {
  std::uint64_t bytes_before = 0, bytes_after = 0;  // of the streams
  std::vector<std::string> damage;                  // what of it is not in the new trace: "machine_0_filter_0: ..."
};

// `output` must not exist. Records, names and ledger are the same: a plain trace that is compressed and made plain again has the bytes
// that it had. Damaged packets are left out, and are losses of the new trace as they were of the old one. The error says what is
// not a trace, is being recorded, has that form already, or could not be written; trace.json is written last.
Result<Repacked> repack_trace(const std::string& directory, const std::string& output, bool compressed);

}  // namespace dpm
