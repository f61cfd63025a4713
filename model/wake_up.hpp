// What a message costs in addition when its receiver sleeps until it comes: the sender's kernel has to wake it, often
// on an idle CPU. Known of real machines only (dpm calibrate); simulated processes wake up for free.
#pragma once

#include <vector>

#include "model/result.hpp"

namespace dpm {

struct WakeUp {
  double delivery_s = 0;    // how much later the message is received
  double sender_cpu_s = 0;  // on a machine of speed 1
  double receiver_cpu_s = 0;

  bool is_free() const { return delivery_s == 0 && sender_cpu_s == 0 && receiver_cpu_s == 0; }
};

// By how long the receiver's machine had been idle: the longer, the deeper it sleeps. Linear between the points;
// constant before the first and beyond the last.
class WakeUps {
 public:
  struct Point {
    double idle_s = 0;
    WakeUp costs;
  };

  WakeUps() = default;  // free: all costs are zero
  WakeUps(const WakeUp& always) : points_{{0, always}} {}

  // Refuses an empty list, idle times that do not increase, and negative values.
  static Result<WakeUps> through(std::vector<Point> points);

  WakeUp after(double idle_s) const;
  bool is_free() const;
  const std::vector<Point>& points() const { return points_; }

 private:
  std::vector<Point> points_;
};

}  // namespace dpm
