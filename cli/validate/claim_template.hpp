// The program of a new claim: templates/run.py, as text.
#pragma once

namespace dpm::cli {

extern const char* const kClaimTemplate;

}  // namespace dpm::cli
