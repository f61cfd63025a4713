// What dpm calibrate measured: as a table, and as the file that dpm predict --delays reads.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/calibrate/calibration_run.hpp"

namespace dpm::cli {

std::string calibration_text(const CalibrationResult& result, int width);
nlohmann::ordered_json calibration_json(const CalibrationResult& result);

}  // namespace dpm::cli
