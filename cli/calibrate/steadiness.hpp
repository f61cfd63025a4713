// Whether a measured figure can be used: how far its quartiles are apart.
//
// Other work on the machine changes single measurements by several times their size, and a median of five hides that.
// An unsteady figure is measured again. One that stays wide is reported, because predictions from it mean little.
#pragma once

#include <string>
#include <vector>

#include "cli/calibrate/calibration_run.hpp"

namespace dpm::cli {

// Figures that are measured together, and measured again together.
enum class FigureGroup { messages, two_cores, metering };

enum class Steadiness {
  narrow,    // quartiles within a fifth of the median, or 0.4 us
  wide,      // worth more repetitions
  unusable,  // quartiles further apart than half the median and 1 us
};
Steadiness steadiness_of(const Measured& measured);

struct UnsteadyFigure {
  FigureGroup group = FigureGroup::messages;
  std::string what;  // "waking a core that was idle for 130.20 us: delay of the message"
  Measured measured;
  bool is_usable = true;
};

// The figures of a delay model that are not narrow.
std::vector<UnsteadyFigure> unsteady_figures(const TransportFigures& figures);

}  // namespace dpm::cli
