// Where a supervisor gets the sink that takes what it meters, to a filter: given from outside, so that how events
// travel and what a daemon does know nothing of each other.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backends/linux/remote/protocol/control_message.hpp"
#include "backends/linux/transport/net/io_context.hpp"
#include "model/event_source.hpp"
#include "model/trace_growth.hpp"

namespace dpm {

class MeterSink : public EventSink, public GrowthSink {
 public:
  // Events are sent at once instead of being buffered. From any thread.
  virtual void set_immediate(bool on) = 0;
};

struct MeteredProcess {
  std::string machine, job, name;
  std::uint32_t pid = 0;
};

// What the sink waits for, it waits for in the io_context of the supervisor.
using OpenMeterSink =
    std::function<Result<std::unique_ptr<MeterSink>>(asio::io_context&, const FilterAddress&, const MeteredProcess&)>;

}  // namespace dpm
