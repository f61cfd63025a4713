// How long a message takes and what it costs. The simulator and the predictor use the same model, because a wrong model
// is a main source of prediction error.
//
// Delivery time is piecewise linear in the message's size (thesis figure 5.11), by class: local (same machine), remote,
// or a separate class for a pair of machines. Below the first point the first value holds; beyond the last, the last
// slope continues. CPU costs are charged to the sender before the SEND and to the receiver before the RECEIVE; zero
// unless given.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/result.hpp"
#include "model/time.hpp"
#include "model/wake_up.hpp"

namespace dpm {

// y(x) through points of increasing x.
class PiecewiseLinear {
 public:
  PiecewiseLinear() = default;  // zero everywhere

  // Refuses an empty list, sizes that do not increase, and negative values.
  static Result<PiecewiseLinear> through(std::vector<std::pair<double, double>> points);

  double at(double x) const;
  const std::vector<std::pair<double, double>>& points() const { return points_; }

 private:
  std::vector<std::pair<double, double>> points_;
};

struct DelayClass {
  PiecewiseLinear delivery_s;    // seconds by size in bytes
  PiecewiseLinear sender_cpu_s;  // CPU seconds by size, on a machine of speed 1
  PiecewiseLinear receiver_cpu_s;
  WakeUps wake_ups;
};

struct PairClass {
  std::string machine_a, machine_b;  // both directions
  DelayClass delays;
};

class DelayModel {
 public:
  std::string name = "zero";
  DelayClass local;
  DelayClass remote;
  std::vector<PairClass> pairs;  // overrides `remote` for the machines it names

  const DelayClass& between(const std::string& sender_machine, const std::string& receiver_machine) const;

  // Rounded to whole nanoseconds, so that simulator and predictor add the same numbers.
  static Duration delivery(const DelayClass& delays, std::uint64_t bytes);
  static Duration sender_cpu(const DelayClass& delays, std::uint64_t bytes);
  static Duration receiver_cpu(const DelayClass& delays, std::uint64_t bytes);

  // The VAXes on a 3 Mbit Ethernet of thesis figure 5.11.
  static DelayModel demos_vax();
};

}  // namespace dpm
