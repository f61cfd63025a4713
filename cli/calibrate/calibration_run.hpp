// Measures what messages and metering cost between cores of this machine. The loads run in rotation, several times, and
// medians count. Figures whose quartiles are far apart are measured again (steadiness.hpp), up to a limit.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/calibrate/load_run.hpp"
#include "model/calibration.hpp"

namespace dpm::cli {

struct CalibrationPlan {
  std::vector<Transport> transports = {Transport::tcp};
  Transport over = Transport::tcp;  // the model gets the delays of this transport
  int core_a = 0, core_b = 1;       // equal: only messages within one core are measured
  int repeats = 5;
  int repeats_most = 15;  // of figures that are not steady
  std::uint32_t messages = 1000;
  std::string source;        // that meters; empty: the default
  bool meter_aside = false;  // programs do not wait for it, and it wakes none of them
};

// A quantity measured several times.
struct Measured {
  double median = 0, low = 0, high = 0;  // low and high: the quartiles

  static Measured of(std::vector<double> values);
};

// Waking a process on the other core after that core has been idle for `idle`.
struct WakeUpFigures {
  Measured idle, sender_cpu, receiver_cpu, delivery;
};

// The figures of one transport, by message size, in seconds.
struct TransportFigures {
  std::map<std::uint32_t, Measured> send_cpu, receive_cpu;  // of calls that do not wait
  std::map<std::uint32_t, Measured> local_round_trip;       // on one core
  std::map<std::uint32_t, Measured> local_round_trip_cpu;
  std::map<std::uint32_t, Measured> remote_watched, remote_asleep;  // from SEND to arrival, on two cores
  std::vector<WakeUpFigures> wake_ups;                              // by increasing idle time
  // The additional cost of a metered call on one core, and of a metered call that waits.
  Measured metered_call_cpu, metered_call_elapsed;
  Measured metered_waiting_cpu, metered_waiting_elapsed;
  Measured metered_wake_up_sender_cpu, metered_wake_up_receiver_cpu;
};

struct CalibrationResult {
  CalibrationPlan plan;
  std::vector<std::string> unusable;  // descriptions of figures that vary too much to be used
  bool measured_again = false;
  std::map<Transport, TransportFigures> of;
  Calibration calibration;
};

// `progress` gets the name of the next step, its number, and the number of steps.
Result<CalibrationResult> run_calibration(const CalibrationPlan& plan, const std::string& folder,
                                          const std::function<void(const std::string&, int, int)>& progress);

// The cores that this process may use.
std::vector<int> usable_cores();

}  // namespace dpm::cli
