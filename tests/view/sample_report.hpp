// A report with one of every figure, from invented results of the shape that the file system study has.
#pragma once

#include "view/figures.hpp"
#include "view/report.hpp"

namespace dpm::testing {

TraceInfo sample_trace_info();
Statistics sample_statistics();
Queues sample_queues();
Causality sample_causality();
Timeline sample_timeline();
view::ReportInput sample_report();

}  // namespace dpm::testing
