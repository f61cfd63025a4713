// What was measured of real machines (dpm calibrate): how long their messages take, and what metering costs there.
#pragma once

#include "model/delay_model.hpp"

namespace dpm {

// CPU time between messages with which wake-ups under metering are measured. A trace does not show how long its
// machines had been idle: its wake-ups are assumed to have cost what they do after this time.
constexpr double kUsualGap_s = 150e-6;

// CPU time of the program that is in its trace although the unmetered program would not have used it. The meter
// subtracts the cost of the notification itself before it records; this is the rest: caches that the supervisor has
// used, and sleeping and waking for it.
struct MeteringCost {
  double call_cpu_s = 0;          // each SEND, and each RECEIVE of a message that was there
  double waiting_call_cpu_s = 0;  // each RECEIVE that waited for its message
  // How much longer a call takes, with the supervisor's CPU time on the same core; 0: not known.
  double call_elapsed_s = 0, waiting_call_elapsed_s = 0;
  WakeUp wake_up;  // instead of the unmetered wake-up, where sender and receiver were on different cores

  bool is_free() const { return call_cpu_s == 0 && waiting_call_cpu_s == 0 && wake_up.is_free(); }
};

struct Calibration {
  DelayModel delays;
  MeteringCost metering;
};

}  // namespace dpm
