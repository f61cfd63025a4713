// What a filter's collector knows at a time of every meter that reported to it, kept as delivered.json beside the
// filter's log. It contains what the log cannot: what became of events while the filter was not there to count them, or could
// not write. A reader of the log counts as lost what was delivered and is not in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/ledger.hpp"
#include "model/result.hpp"
#include "trace/filter_account.hpp"
#include "trace/meter_stream.hpp"

namespace dpm {

inline constexpr const char* kDeliveryName = "delivered.json";

struct MeterDelivery {
  MeterIdentity meter;
  bool connected = false;
  bool ended = false;           // it has reported for the last time; else `seen` is what has come
  std::uint64_t seen = 0;       // by the meter
  std::uint64_t delivered = 0;  // written to the filter's standard input
  std::vector<Loss> losses;     // why the others were not; complete when the meter has ended
};

// Connections that failed.
struct RefusedConnections {
  std::uint64_t not_authenticated = 0;  // without a key, or what came was not TLS
  std::uint64_t too_slow = 0;           // did not get that far in time
  std::uint64_t too_many = 0;           // closed to make room for others before they were authenticated
  std::uint64_t broken_protocol = 0;    // with a key, but sent nothing that could be decoded
  std::uint64_t other_machine = 0;      // announced events of another machine or job than their key is for
};

struct DeliveryReport {
  bool finished = false;
  std::string program;  // the filter
  std::uint32_t filter_pid = 0;
  std::string filter_ended;  // "exit status 1"; empty: it has not ended, or only when it was told to
  bool is_standard = false;  // it is the standard filter, whose log is a trace of all that it was given
  FilterAccount account;     // of its log, as it reported last
  std::vector<MeterDelivery> meters;
  RefusedConnections refused;

  std::uint64_t delivered() const;
};

std::string to_json(const DeliveryReport& report);
Result<DeliveryReport> delivery_report_from_json(const std::string& path, const std::string& text);

// Of the log that the trace in this directory belongs to; none if it is not the log of a collector.
Result<std::optional<DeliveryReport>> read_delivery_report(const std::string& directory);

}  // namespace dpm
