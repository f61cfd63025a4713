// Meters a program in threads of its own, beside an io_context in which it is controlled: the loop that serves the
// program's calls must not wait for anything else.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "control/agents/meter_path.hpp"
#include "model/metering_method.hpp"
#include "os/net/io_context.hpp"

namespace dpm {

class MeterThread {
 public:
  // All called in the thread of the io_context.
  struct Handlers {
    std::function<void()> on_ready;   // calls are being served
    std::function<void()> on_let_go;  // the program has ended, or after let_go(): it needs nothing of us any more
    std::function<void()> on_end;     // every recorded event is in the sink
  };

  MeterThread(asio::io_context& context, std::unique_ptr<MeteredRun> metered, const MeterOptions& options,
              std::unique_ptr<MeterSink> sink, Handlers handlers);
  MeterThread(const MeterThread&) = delete;
  MeterThread& operator=(const MeterThread&) = delete;
  ~MeterThread();  // waits for its end

  void start_program() { run_->start(); }  // of a child; once
  void set_flags(MeterFlags flags);
  // The program goes on without us.
  void let_go();
  control::Delivery delivery() const { return sink_->delivery(); }
  // As far as the handlers have been called.
  bool is_ready() const { return told_ >= Stage::ready; }
  bool has_let_go() const { return told_ >= Stage::let_go; }
  bool has_ended() const { return told_ == Stage::ended; }
  const std::string& failure() const { return failure_; }  // after the end

 private:
  enum class Stage : int { starting, ready, let_go, ended };
  class Ending;

  MeterOptions with_handlers(MeterOptions options);
  void run();
  void reach(Stage stage);
  void tell();

  asio::io_context& context_;
  std::unique_ptr<MeteredRun> run_;
  std::unique_ptr<MeterSink> sink_;
  Handlers handlers_;
  std::atomic<Stage> stage_{Stage::starting};
  Stage told_ = Stage::starting;
  std::atomic<bool> stopped_{false};
  std::string failure_;
  std::mutex mutex_;  // of flags_
  MeterFlags flags_;
  std::unique_ptr<LiveSource> source_;
  std::thread thread_;
};

}  // namespace dpm
