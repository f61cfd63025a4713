// What each process and pair did in a period, a second: the difference of the totals at its two ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "answers/follow/followed_trace.hpp"

namespace dpm::cli {

// Per second, over the period.
struct Rates {
  double cpu = 0;  // seconds of CPU time
  double sent = 0, sent_bytes = 0;
  double received = 0, received_bytes = 0;

  friend bool operator==(const Rates&, const Rates&) = default;
};

struct ProcessRates {
  ProcessId process;
  std::string name, machine;  // as the trace has them: they are shown with printable()
  Rates rates;
  std::uint64_t cpu_ns = 0, sent = 0, sent_bytes = 0, received = 0, received_bytes = 0;  // so far
  std::optional<std::uint64_t> queued;
  Doing doing = Doing::not_known;
  std::string waits_for;  // the process that is to send a message, or a word; empty: not known
};

struct PairRates {
  ProcessId from, to;
  double messages = 0, bytes = 0;  // per second
};

struct TopNumbers {
  double period_s = 0;
  double elapsed_s = 0;  // of the run
  bool is_over = false;
  double P = 0, P_of_run = 0;           // the mean number of busy CPUs, in the period and so far; 0 if it took no time
  Rates all;                            // of the computation: only what it sent and received
  double messages = 0, bytes = 0;       // per second, of all processes; each message once
  std::vector<ProcessRates> processes;  // in the order of the trace
  std::vector<PairRates> pairs;         // with at least one message so far
  Ledger ledger;
  std::uint64_t events = 0;
};

// How long it was from one look to the next: by our clock `passed_s`; by the trace's own if it is of a simulation, which runs at
// a pace of its own.
double period_between_s(const TraceTotals& before, const TraceTotals& after, double passed_s, const TraceInfo& info);

// `before` and `after` are `period_s` apart. With `threads` each thread is a row, otherwise each process.
TopNumbers rates_between(const TraceTotals& before, const TraceTotals& after, double period_s, const TraceInfo& info,
                         bool threads);
// Over the whole run.
TopNumbers rates_of_run(const TraceTotals& totals, const TraceInfo& info, bool threads);

}  // namespace dpm::cli
