// CPU time in a live trace that the program would not have used if it had not been metered, or had not run where it was
// traced.
//
// The costs are those of calls, and a call's cost is in the CPU time between its event and the process's next one:
//     SEND      metering's share; and, if the receiver slept on another machine, what waking it cost
//     WAIT      metering's share, as of a RECEIVE
//     a call    that asked for a message and found nothing: metering's share
//     RECEIVE   metering's share, greater if it waited; and what waking it cost, if it slept until a message of another
//               machine woke it
// Never more than the available CPU time is subtracted: the rest is subtracted from the CPU time that follows.
#pragma once

#include <cstdint>

#include "analysis/history/history.hpp"
#include "model/calibration.hpp"

namespace dpm {

struct TracingCost {
  std::uint64_t calls = 0;
  std::uint64_t metering_ns = 0;
  std::uint64_t wake_ups = 0;  // on another machine, in the placement that was traced
  std::uint64_t wake_up_ns = 0;
};

// Afterwards the history is that of an unmetered run in which waking a process costs no more than on one machine: a
// replay adds what it charges for waking on its target. `calibration` is of the machines the trace is from.
TracingCost take_out_tracing_cost(History& history, const Calibration& calibration);

// The calibration with other costs of metering: those that explain how much more CPU time `as_metered` has than the
// program uses when it is not metered. A server with much memory loses more to its supervisor than the program that a
// calibration measures. The costs of calls keep their proportions; where the calibration has none, all are equal.
Calibration fitted_to(const History& as_metered, Calibration calibration, double unmetered_cpu_s);

// The run as its clocks have it: to a history from which metering has been subtracted, adds all the time by which
// metering made each call longer, including the supervisor's own, as if the program had used it. On one core the
// program stood still meanwhile. Returns how much that is; 0 where the calibration does not know it.
std::uint64_t put_in_meters_time(History& unmetered, const Calibration& calibration);

}  // namespace dpm
