// A filter and the way to it: starts the filter program with a pipe on its standard input, and passes on to it what
// meters of any machine send to its port. docs/trace-format.md describes what the filter reads.
//
// The port is open to every machine, for meters are on every machine; nothing is spoken there but TLS with the filter's
// secret. When the filter reads slowly the meters wait; when it ends, they are told, and what they still see is
// counted. The folder of the log has beside what the filter writes:
//
//     delivered.json    what was passed to the filter of each meter, what was not, and why (trace/delivery_report.hpp)
//     filter.out, filter.err    what the filter printed
//
//   auto collector = FilterCollector::create(context, options);    // its port and the filter's pid are known
//   collector->begin(on_filter_ended, on_over);
//   context.run(); ... collector->stop();                          // then it comes to its end, and says so
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/linux/transport/collector/meter_connections.hpp"
#include "trace/delivery_report.hpp"

namespace dpm {

struct CollectorOptions {
  std::string log;                   // the folder; made if it is not there
  std::vector<std::string> program;  // and its arguments; started in the log
  std::string secret;                // 64 hexadecimal digits
  bool loopback_only = false;
  ConnectionLimits limits;
  std::size_t waiting_bytes_max = 1 << 20;            // for the filter: then no more is read from meters
  std::chrono::milliseconds farewell{2000};           // for meters, to say their last when told to stop
  std::chrono::milliseconds filter_patience{60'000};  // for the filter, to read the rest and end; then it is killed
};

class FilterCollector {
 public:
  static Result<std::unique_ptr<FilterCollector>> create(asio::io_context& context, CollectorOptions options);
  ~FilterCollector();

  std::uint16_t port() const;
  int filter_pid() const;

  // Both are called in the io_context: `on_filter_ended` when the filter ends before stop(), `on_over` when the log is
  // finished after it.
  void begin(std::function<void(const std::string& how)> on_filter_ended, std::function<void()> on_over);
  void stop();

  DeliveryReport report() const;  // in the thread of the io_context; others read delivered.json

 private:
  struct State;
  explicit FilterCollector(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// state_folder()/logs/NAME-PID, with the calling process's number, or NAME-PID.2 and so on where there is one already:
// machines may share home folders, and numbers come again.
std::string default_log_folder(const std::string& name);

// The command of the standard filter: its trace is the folder `trace` of the log. Files are named absolutely; empty
// ones are its own.
std::vector<std::string> standard_filter(const std::string& dpm, const std::string& descriptions,
                                         const std::string& templates);

}  // namespace dpm
