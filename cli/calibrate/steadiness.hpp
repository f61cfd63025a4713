// Whether what was measured can be used: how far a figure's quartiles are apart.
//
// Other work on the machine moves single figures by several times their size, and one median out of five hides it. A
// figure that is not steady is measured again; one that stays wide is reported, because a prediction from it means
// little.
#pragma once

#include <string>
#include <vector>

#include "cli/calibrate/calibration_run.hpp"

namespace dpm::cli {

// What is measured together, and again together.
enum class FigureGroup { messages, two_cores, metering };

enum class Steadiness {
  narrow,    // quartiles within a fifth of the median, or 0.4 us
  wide,      // worth more repetitions
  unusable,  // quartiles further apart than half the median and 1 us
};
Steadiness steadiness_of(const Measured& measured);

struct UnsteadyFigure {
  FigureGroup group = FigureGroup::messages;
  std::string what;  // "waking after 130.20 us: the message comes later by"
  Measured measured;
  bool is_usable = true;
};

// Of the figures a delay model is made of; those that are narrow are left out.
std::vector<UnsteadyFigure> unsteady_figures(const TransportFigures& figures);

}  // namespace dpm::cli
