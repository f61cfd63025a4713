// A filter program and its collector: starts the program with a pipe on its standard input, and passes on to it the
// events that meters of any machine send to the collector's port. docs/trace-format.md describes what the filter reads.
//
// The port is open to every machine, because meters are on every machine. It accepts only TLS with a key that is derived
// from the filter's secret, and of a meter only the events of the machine and job that the key is for.
// When the filter reads slowly, the meters wait. When it ends, the collector tells them, and they count later events as
// lost. The folder of the log has, beside the filter's own files:
//
//     delivered.json    for each meter, what was passed to the filter, what was not, and why (trace/delivery_report.hpp)
//     filter.out, filter.err    what the filter printed
//
//   auto collector = FilterCollector::create(context, options);    // the port and the filter's pid are known now
//   collector->begin(on_filter_ended, on_over);
//   context.run(); ... collector->stop();                          // then on_over is called
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "control/transport/collector/meter_connections.hpp"
#include "trace/delivery_report.hpp"

namespace dpm {

struct CollectorOptions {
  std::string log;                   // the folder; made if it is missing
  std::vector<std::string> program;  // and its arguments; started in the log
  bool is_standard = false;          // it is standard_filter()
  std::string secret;                // 64 hexadecimal digits
  MeterConnections::Place place;     // where to listen
  bool listens = true;               // else connections come through accept() alone
  ConnectionLimits limits;
  std::size_t waiting_bytes_max = 1 << 20;            // for the filter; beyond that, meters wait
  std::chrono::milliseconds farewell{2000};           // for meters to send the rest after stop()
  std::chrono::milliseconds filter_patience{60'000};  // for the filter to read the rest and end; then it is killed
};

class FilterCollector {
 public:
  static Result<std::unique_ptr<FilterCollector>> create(asio::io_context& context, CollectorOptions options);
  ~FilterCollector();

  std::uint16_t port() const;  // 0: it does not listen
  int filter_pid() const;
  void accept(UniqueFd connection);  // of a meter

  // All are called in the io_context: `on_filter_ended` when the filter ends before stop(), `on_over` when the log is
  // finished after stop(), `on_account` when the filter reports another state of its log.
  void begin(std::function<void(const std::string& how)> on_filter_ended, std::function<void()> on_over,
             std::function<void(const FilterAccount&)> on_account = {});
  void stop();

  DeliveryReport report() const;  // in the io_context's thread; other threads read delivered.json

 private:
  struct State;
  explicit FilterCollector(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// state_folder()/logs/NAME-PID, with the calling process's pid; NAME-PID.2 and so on if it exists: machines may share home
// folders, and pids are reused.
std::string default_log_folder(const std::string& name);

// The command of the standard filter, which writes its trace to the folder `trace` of the log. File names are absolute; an
// empty one stands for the standard file.
std::vector<std::string> standard_filter(const std::string& dpm, const std::string& descriptions,
                                         const std::string& templates);

}  // namespace dpm
