// Reports the state of a filter's log to the collector that started the filter (trace/filter_account.hpp). Without a collector,
// as for `dpm filter` in a shell, nothing is reported.
#pragma once

#include <cstdint>

#include "os/unique_fd.hpp"
#include "trace/filter_account.hpp"
#include "trace/trace_writer.hpp"

namespace dpm {

class FilterStatus {
 public:
  FilterStatus();  // takes the descriptor that the environment names
  // If it has changed. Never waits: what cannot be sent now is sent with the next change. Returns whether the log could be written.
  bool report(const TraceWriter& writer, std::uint64_t filtered);

 private:
  void report(const FilterAccount& account);

  UniqueFd collector_;
  FilterAccount reported_;
};

}  // namespace dpm
