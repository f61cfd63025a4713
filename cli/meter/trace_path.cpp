#include "cli/meter/trace_path.hpp"

#include <unistd.h>

#include <atomic>

#include "filter/event_filter.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_writer.hpp"

namespace dpm::cli {
namespace {

class TracePath : public MeterSink {
 public:
  TracePath(std::unique_ptr<TraceWriter> writer, std::vector<RuleSet> rules)
      : writer_(std::move(writer)), filter_(std::move(rules), *writer_) {}

  void set_immediate(bool on) override { immediate_ = on; }
  void on_begin(const TraceInfo& info) override { filter_.on_begin(info); }
  void on_events(std::span<const Event> batch) override {
    filter_.on_events(batch);
    if (immediate_) writer_->flush();
  }
  void on_end(const LossReport& losses) override { filter_.on_end(losses); }

 private:
  std::unique_ptr<TraceWriter> writer_;
  EventFilter filter_;
  std::atomic<bool> immediate_{false};
};

}  // namespace

Result<std::unique_ptr<MeterSink>> open_trace_path(const std::string& folder, const MeteredProcess& process) {
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  const std::string path = folder + "/" + process.job + "-" + process.name + "-" + std::to_string(process.pid) + "-" +
                           std::to_string(::getpid());
  auto writer = TraceWriter::create(path, describe_events({"filter"}, rules));
  if (!writer) return writer.error();
  return std::unique_ptr<MeterSink>(new TracePath(*std::move(writer), std::move(rules)));
}

}  // namespace dpm::cli
