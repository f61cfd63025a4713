// Measures what messages and metering cost between cores of this machine: every load in turns, several times, medians.
// Figures whose quartiles are far apart are measured again (steadiness.hpp), until they are not, or it has been enough.
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
  Transport over = Transport::tcp;  // whose delays the model has
  int core_a = 0, core_b = 1;       // the same: only what is within one core is measured
  int repeats = 5;
  int repeats_most = 15;  // of what is not steady
  std::uint32_t messages = 1000;
};

// A quantity measured several times.
struct Measured {
  double median = 0, low = 0, high = 0;  // low and high: the quartiles

  static Measured of(std::vector<double> values);
};

// Waking a process of the other core, which had been idle for so long.
struct WakeUpFigures {
  Measured idle, sender_cpu, receiver_cpu, delivery;
};

// Of one transport, by the size of the message; seconds.
struct TransportFigures {
  std::map<std::uint32_t, Measured> send_cpu, receive_cpu;  // nobody waits
  std::map<std::uint32_t, Measured> local_round_trip;       // on one core
  std::map<std::uint32_t, Measured> local_round_trip_cpu;
  std::map<std::uint32_t, Measured> remote_watched, remote_asleep;  // from SEND to being there, on two cores
  std::vector<WakeUpFigures> wake_ups;                              // the longer idle the later
  // What a metered call costs more, on one core; the same where the call waits.
  Measured metered_call_cpu, metered_call_elapsed;
  Measured metered_waiting_cpu, metered_waiting_elapsed;
  Measured metered_wake_up_sender_cpu, metered_wake_up_receiver_cpu;
};

struct CalibrationResult {
  CalibrationPlan plan;
  std::vector<std::string> unusable;  // figures of `calibration` that mean little, in words
  bool measured_again = false;
  std::map<Transport, TransportFigures> of;
  Calibration calibration;
};

// `progress` is told what is done next, and of how many steps it is which.
Result<CalibrationResult> run_calibration(const CalibrationPlan& plan, const std::string& folder,
                                          const std::function<void(const std::string&, int, int)>& progress);

// The cores this process may use.
std::vector<int> usable_cores();

}  // namespace dpm::cli
