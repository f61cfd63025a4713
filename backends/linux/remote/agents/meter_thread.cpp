#include "backends/linux/remote/agents/meter_thread.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "backends/linux/custody/keeper/keeper.hpp"

namespace dpm {

// Passes everything on. The program needs us no more, or is left to its keeper, before the last is sent: that may take
// long.
class MeterThread::Ending : public EventSink {
 public:
  explicit Ending(MeterThread& meter) : meter_(meter) {}

  void on_begin(const TraceInfo& info) override { meter_.sink_->on_begin(info); }
  void on_events(std::span<const Event> batch) override { meter_.sink_->on_events(batch); }
  void on_end(const LossReport& losses) override {
    if (meter_.stopped_) {
      if (auto left = leave_to_keeper(meter_.source_.program()); !left) meter_.failure_ = left.error().what;
    }
    meter_.reach(Stage::let_go);
    meter_.sink_->on_end(losses);
  }

 private:
  MeterThread& meter_;
};

MeterOptions MeterThread::with_names_to(MeterOptions options, GrowthSink& sink) {
  options.names_to = &sink;
  return options;
}

MeterThread::MeterThread(EventLoop& loop, MeteredProgram program, MeterOptions options, std::unique_ptr<MeterSink> sink,
                         Handlers handlers)
    : loop_(loop),
      sink_(std::move(sink)),
      handlers_(std::move(handlers)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      flags_(options.flags),
      source_(std::move(program), with_names_to(options, *sink_), [this] {
        const std::lock_guard lock(mutex_);
        source_.set_flags(0, flags_);  // they may have changed since
        reach(Stage::ready);
      }) {
  DPM_CHECK(wake_);
  sink_->set_immediate(flags_.immediate());
  loop_.watch(wake_.get(), EPOLLIN, [this](std::uint32_t) { tell(); });
  thread_ = std::thread([this] { run(); });
}

MeterThread::~MeterThread() {
  thread_.join();
  loop_.forget(wake_.get());
}

void MeterThread::run() {
  Ending sink(*this);
  if (auto done = source_.run(sink); !done) failure_ = done.error().what;
  reach(Stage::ended);
}

void MeterThread::reach(Stage stage) {
  stage_ = stage;
  const std::uint64_t one = 1;
  if (::write(wake_.get(), &one, sizeof one) < 0) return;  // it is awake
}

void MeterThread::tell() {
  std::uint64_t count = 0;
  if (::read(wake_.get(), &count, sizeof count) < 0) return;
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
  source_.set_flags(0, flags);
}

void MeterThread::let_go() {
  stopped_ = true;
  source_.stop();
}

}  // namespace dpm
