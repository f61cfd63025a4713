#include "control/agents/meter_thread.hpp"

#include <csignal>
#include <utility>

#include "os/net/timer.hpp"

namespace dpm {

// Passes everything on. The program is let go before the end of the events is sent, which may take long.
class MeterThread::Ending : public EventSink {
 public:
  explicit Ending(MeterThread& meter) : meter_(meter) {}

  void on_begin(const TraceInfo& info) override { meter_.sink_->on_begin(info); }
  void on_events(std::span<const Event> batch) override { meter_.sink_->on_events(batch); }
  void on_end(const LossReport& losses) override {
    if (meter_.stopped_) {
      if (auto released = meter_.run_->release(); !released) meter_.failure_ = released.error().what;
    }
    meter_.reach(Stage::let_go);
    meter_.sink_->on_end(losses);
  }

 private:
  MeterThread& meter_;
};

MeterOptions MeterThread::with_handlers(MeterOptions options) {
  options.names_to = sink_.get();
  options.on_ready = [this] {
    const std::lock_guard lock(mutex_);
    source_->set_flags(0, flags_);  // they may have changed since
    reach(Stage::ready);
  };
  return options;
}

MeterThread::MeterThread(asio::io_context& context, std::unique_ptr<MeteredRun> metered, const MeterOptions& options,
                         std::unique_ptr<MeterSink> sink, Handlers handlers)
    : context_(context),
      run_(std::move(metered)),
      sink_(std::move(sink)),
      handlers_(std::move(handlers)),
      flags_(options.flags),
      source_(run_->meter(with_handlers(options))) {
  sink_->set_immediate(flags_.immediate());
  thread_ = std::thread([this] { run(); });
}

MeterThread::~MeterThread() { thread_.join(); }

void MeterThread::run() {
  // The io_context's thread takes SIGCHLD; no signal may interrupt the thread that serves a program.
  sigset_t ends;
  ::sigemptyset(&ends);
  ::sigaddset(&ends, SIGCHLD);
  ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  Ending sink(*this);
  if (auto done = source_->run(sink); !done) failure_ = done.error().what;
  reach(Stage::ended);
}

void MeterThread::reach(Stage stage) {
  stage_ = stage;
  later(context_, [this] { tell(); });
}

void MeterThread::tell() {
  const Stage reached = stage_;
  const Stage told = std::exchange(told_, reached);
  if (told < Stage::ready && reached >= Stage::ready) handlers_.on_ready();
  if (told < Stage::let_go && reached >= Stage::let_go) handlers_.on_let_go();
  if (told < Stage::ended && reached >= Stage::ended) handlers_.on_end();
}

void MeterThread::set_flags(MeterFlags flags) {
  const std::lock_guard lock(mutex_);
  flags_ = flags;
  sink_->set_immediate(flags.immediate());
  source_->set_flags(0, flags);
}

void MeterThread::let_go() {
  stopped_ = true;
  source_->stop();
}

}  // namespace dpm
