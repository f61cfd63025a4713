// Steps of the scenario language, made from measurements.
#pragma once

#include <string>
#include <vector>

#include "scenarios/behaviour/behaviour.hpp"

namespace dpm::twin {

// Samples as values with weights: all values if they are few, otherwise as many as keep mean and variance. `members`
// processes drew them together: the weights are those of one.
Quantity summarise(std::vector<double> samples, std::size_t members);
double mean(const Quantity& quantity);

Step compute_step(Quantity seconds);
Step sleep_step(Quantity seconds);
Step send_step(const std::string& kind, const std::string& group, Quantity bytes, Pick pick = Pick::random);
Step wait_step(const std::string& kind, const std::string& group, std::uint64_t times = 1, Timeout timeout = {});
Step repeat_step(Value times, Steps steps);
Step stop_step();

// ---- counted; the counter is a variable of the program

// `when` every `period` times, and `otherwise` the other times.
Steps every(const std::string& counter, Value period, Steps when, Steps otherwise);

// The first `times` times the steps of the first phase, and so on; the last phase has no end.
struct Phase {
  std::uint64_t times = 0;
  Steps steps;
};
Steps in_phases(const std::string& counter, std::vector<Phase> phases);

// The process ends when it has done this `times` times.
Steps end_after(const std::string& counter, std::uint64_t times);

void append(Steps& steps, Steps more);

}  // namespace dpm::twin
