// The ledger of what was read from a trace: what its recorder wrote in trace.json, compared with what was found, and with
// what was delivered to the filter whose log it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/ledger.hpp"
#include "trace/delivery_report.hpp"
#include "trace/packet_decoder.hpp"
#include "trace/sidecar.hpp"

namespace dpm {

// Adds what is missing of one stream.
void add_losses(const StreamSummary& stream, const StreamOutcome& found, bool finished, std::vector<Loss>& losses);

struct TraceRead {
  std::uint64_t delivered = 0;
  std::vector<Loss> losses;                       // of streams
  std::vector<Loss> undelivered;                  // to the filter that wrote the trace
  std::optional<DeliveryReport> deliveries = {};  // to it; counts when the trace is not being recorded any more
  bool being_recorded = false;
  bool is_partial = false;    // more is there, and will be read: what was not delivered is not lost
  std::uint64_t removed = 0;  // records that were not read, because --window had removed them
};

// Why the trace lacks its beginning, with the numbers.
std::string begins_in_the_middle(const Ledger& ledger, Duration window);

// seen = kept + filtered + lost, where kept is what was delivered and what was removed.
// A trace that begins in the middle says so in a warning.
Ledger ledger_of(const Sidecar& sidecar, const TraceRead& read);

}  // namespace dpm
