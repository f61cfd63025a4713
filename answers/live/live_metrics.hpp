// A recording's sums for Prometheus: of all processes, and of each program by its name, so that a program which starts processes for
// months has one line.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/levels/levels.hpp"
#include "model/ledger.hpp"
#include "model/trace_info.hpp"
#include "view/answers/metrics.hpp"

namespace dpm::cli {

// With more, the programs that used least CPU time are "others" together.
constexpr std::size_t kProgramsShown = 50;

std::vector<view::MetricFamily> live_metrics(const LevelsAnalysis& levels, const TraceInfo& info, const Ledger& ledger);

}  // namespace dpm::cli
