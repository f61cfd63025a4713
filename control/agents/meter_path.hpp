// The sink through which a supervisor sends events to a filter. The command passes it in, so that the agents do not
// depend on how events travel.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "control/protocol/control_message.hpp"
#include "model/event_source.hpp"
#include "model/trace_growth.hpp"
#include "os/net/io_context.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class MeterSink : public EventSink, public GrowthSink {
 public:
  // Whether events are sent at once instead of being buffered. From any thread.
  virtual void set_immediate(bool on) = 0;
  // What is missing at this moment. In the io_context's thread.
  virtual control::Delivery delivery() const = 0;
};

struct MeteredProcess {
  std::string machine, job, name;
  std::uint32_t pid = 0;
};

// Called in any thread.
using OnDelivery = std::function<void(const control::Delivery&)>;

// Makes a connection to the filter's collector that is not one of the network. In the io_context's thread.
using DialFilter = std::function<Result<UniqueFd>()>;

struct MeterWay {
  OnDelivery on_delivery;
  DialFilter dial;  // empty: the meter connects to the filter's address
};

// The sink waits in the supervisor's io_context.
using OpenMeterSink = std::function<Result<std::unique_ptr<MeterSink>>(asio::io_context&, const FilterAddress&,
                                                                       const MeteredProcess&, const MeterWay&)>;

}  // namespace dpm
