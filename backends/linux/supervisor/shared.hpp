// The state that the parts of a supervisor share. Two threads use it, under the supervisor's lock.
#pragma once

#include "backends/linux/calls/meter.hpp"
#include "backends/linux/supervisor/call_answers.hpp"
#include "backends/linux/supervisor/file_view.hpp"
#include "backends/linux/supervisor/kernel_news.hpp"
#include "backends/linux/supervisor/linux_source.hpp"
#include "backends/linux/supervisor/meter_clock.hpp"
#include "backends/linux/supervisor/process_table.hpp"
#include "backends/linux/supervisor/process_view.hpp"

namespace dpm {

struct Shared {
  // The kernel: every question to it and every answer goes through these.
  CallAnswers& answers;
  FileView& files;
  ProcessView& kernel;
  KernelNews& news;

  MeterClock clock;
  Meter meter{};
  ProcessTable table{};
  MeterSummary summary{};
};

// What becomes of a call that was looked at.
enum class CallOutcome : std::uint8_t { let_go, held, answered };

}  // namespace dpm
