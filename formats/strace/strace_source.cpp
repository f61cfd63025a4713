#include "formats/strace/strace_source.hpp"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>
#include <utility>

#include "formats/import/line_file.hpp"
#include "formats/strace/strace_line.hpp"
#include "formats/strace/strace_translator.hpp"
#include "model/counted.hpp"

namespace dpm {
namespace {

constexpr std::size_t kBatch = 4096;

// The lines of the log, joined to calls.
class StraceSource : public EventSource {
 public:
  StraceSource(LineFile file, const ImportOptions& options) : file_(std::move(file)), translator_(info_) {
    info_.source = "strace";
    info_.machines.push_back({options.machine});
  }

  Result<void> run(EventSink& sink) override {
    sink.on_begin(info_);
    std::string_view text;
    while (file_.next(text)) {
      take(text);
      if (translator_.events().size() >= kBatch) pass(sink);
    }
    translator_.end();
    pass(sink);
    sink.on_end(losses());
    return file_.status();
  }

 private:
  struct Unfinished {
    StraceCallKind kind = StraceCallKind::send;
    std::int64_t began_ns = 0;
    std::string text;
  };

  void take(std::string_view text) {
    if (text.empty() || text.starts_with("strace: ")) return;  // "strace: Process 8026 attached"
    const auto line = file_.is_cut() ? std::nullopt : parse_strace_line(text);
    if (!line) {
      ++malformed_;
      return;
    }
    if (line->kind == StraceLineKind::exited) {
      unfinished_.erase(line->tid);
      translator_.ended(*line);
    }
    if (line->kind == StraceLineKind::resumed) return resume(*line);
    if (line->kind != StraceLineKind::call && line->kind != StraceLineKind::unfinished) return;
    const auto kind = strace_call_kind(line->call);
    if (!kind) return;
    translator_.begins(*kind, *line);
    if (line->kind == StraceLineKind::unfinished)
      unfinished_[line->tid] = {*kind, line->time_ns, std::string(line->text)};
    else
      finish({*kind, line->tid, line->time_ns, line->time_ns, false, {}}, line->text);
  }

  void resume(const StraceLine& line) {
    const auto begun = unfinished_.find(line.tid);
    if (begun == unfinished_.end()) return;
    const std::string text = begun->second.text + std::string(line.text);
    const StraceCall call{begun->second.kind, line.tid, begun->second.began_ns, line.time_ns, true, {}};
    unfinished_.erase(begun);
    finish(call, text);
  }

  void finish(StraceCall call, std::string_view text) {
    const auto outcome = parse_outcome(text);
    if (!outcome) return;
    call.outcome = *outcome;
    if (outcome->duration_ns) {
      call.ended_ns = call.began_ns + *outcome->duration_ns;
      call.end_known = true;
    }
    translator_.translate(call);
  }

  void pass(EventSink& sink) {
    seen_ += translator_.events().size();
    if (!translator_.events().empty()) sink.on_events(translator_.events());
    translator_.events().clear();
  }

  LossReport losses() const {
    LossReport report;
    report.seen = seen_ + malformed_;
    if (malformed_ > 0)
      report.losses.push_back(
          {"lines of the log that are not of strace or not whole, each at most one event", malformed_});
    if (translator_.unconnected() > 0)
      report.warnings.push_back(
          fmt::format("{} of sockets that are not connected: strace does not say between which ends, they are left out",
                      counted(translator_.unconnected(), "datagram")));
    if (!translator_.saw_descriptors())
      report.warnings.push_back(
          "the log does not say what descriptors are, so no message is known: record it with strace -f -ttt -yy");
    report.warnings.push_back(
        "strace does not record CPU times; when a call returned is inferred unless the log has -T");
    return report;
  }

  LineFile file_;
  TraceInfo info_;
  StraceTranslator translator_;
  std::unordered_map<std::uint32_t, Unfinished> unfinished_;  // by tid
  std::uint64_t seen_ = 0, malformed_ = 0;
};

constexpr std::uint64_t kLinesTried = 20;

Result<std::unique_ptr<EventSource>> open(const std::string& path, const ImportOptions& options) {
  auto file = LineFile::open(path);
  if (!file) return file.error();
  std::string_view text;
  bool known = false;
  while (!known && file->number() < kLinesTried && file->next(text)) known = parse_strace_line(text).has_value();
  if (!known)
    return Error{
        fmt::format("{}: not a log of strace with times: record one with strace -f -ttt -yy -o LOG COMMAND", path)};
  if (auto done = file->rewind(); !done) return done.error();
  return std::unique_ptr<EventSource>(std::make_unique<StraceSource>(*std::move(file), options));
}

}  // namespace

ImportFormat strace_import_format() {
  return {"strace",
          "a log of strace -f -ttt -yy (-T adds when calls returned)",
          {"procTime", "readyTime", "diskTime"},
          open};
}

}  // namespace dpm
