#include "filter/meter_stream_filter.hpp"

#include <poll.h>
#include <unistd.h>

#include <chrono>

#include "filter/event_filter.hpp"
#include "trace/event_fields.hpp"
#include "trace/files.hpp"
#include "trace/meter_stream.hpp"
#include "trace/trace_writer.hpp"

namespace dpm {
namespace {

constexpr std::size_t kRulesBytesMax = 16 * 1024 * 1024;
constexpr std::chrono::seconds kCheckpointPause{1};
constexpr int kQuietMs =
    100;  // a controller that fetches the log waits longer (backends/linux/remote/daemon/log_settling.hpp)

// Passes the input to the reader, and flushes to disk about once a second, or when no more input comes.
Result<void> read_all(int input, MeterStreamReader& reader, const EventFilter& filter, TraceWriter& writer) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::byte> buffer(256 * 1024);
  bool unwritten = false;
  Clock::time_point due = Clock::now();
  while (true) {
    pollfd waiting = {input, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, unwritten ? kQuietMs : -1);
    if (ready < 0 && errno != EINTR) return Error::from_errno("wait for meter messages");
    if (unwritten && (ready == 0 || Clock::now() >= due)) {
      if (reader.is_at_rest())
        writer.checkpoint(filter.ledger_after(reader.report()));
      else
        writer.checkpoint();
      unwritten = false;
    }
    if (ready <= 0) continue;
    const ssize_t bytes = ::read(input, buffer.data(), buffer.size());
    if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (bytes < 0) return Error::from_errno("read meter messages");
    if (bytes == 0) return {};
    reader.feed(std::span(buffer).first(static_cast<std::size_t>(bytes)));
    if (!unwritten) due = Clock::now() + kCheckpointPause;
    unwritten = reader.has_begun();
  }
}

}  // namespace

Result<Ledger> filter_meter_stream(const std::string& templates, const std::string& directory, int input) {
  std::string rules_text;
  if (!templates.empty()) {
    auto text = read_text_file(templates, kRulesBytesMax);
    if (!text) return text.error();
    rules_text = *std::move(text);
  }
  auto compiled = RuleSet::compile(templates, rules_text, event_layouts());
  if (!compiled) return compiled.error();
  std::vector<RuleSet> rules;
  rules.push_back(*std::move(compiled));
  auto writer = TraceWriter::create(directory, describe_events({"filter"}, rules));
  if (!writer) return writer.error();

  EventFilter filter(std::move(rules), **writer);
  MeterStreamReader reader(filter, writer->get());
  const auto input_status = read_all(input, reader, filter, **writer);
  reader.end();
  if (!input_status) return input_status.error();
  if (!(*writer)->status()) return (*writer)->status().error();
  return (*writer)->ledger();
}

}  // namespace dpm
