#include "formats/strace/strace_source.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <queue>
#include <utility>

#include "formats/import/line_file.hpp"
#include "formats/strace/strace_line.hpp"
#include "formats/strace/strace_log.hpp"
#include "formats/strace/strace_quoting.hpp"
#include "formats/strace/strace_translator.hpp"

namespace dpm {
namespace {

constexpr std::size_t kBatch = 4096;
constexpr std::string_view kHowToRecord = "strace -f -ttt -yy -T -o LOG COMMAND";

// What both forms of a log share: a source that translates lines, and says what became of them.
class StraceSource : public ImportSource {
 public:
  explicit StraceSource(const ImportOptions& options) : translator_(info_) {
    info_.source = "strace";
    info_.machines.push_back({options.machine});
  }

  Result<void> run(EventSink& sink) override {
    sink.on_begin(info_);
    auto done = read(sink);
    translator_.end();
    pass(sink);
    LossReport losses;
    losses.seen = seen_ + lines().broken;
    if (lines().broken > 0)
      losses.losses.push_back({"lines of the log that are not whole, each at most one event", lines().broken});
    losses.warnings = warnings_of(report());
    sink.on_end(losses);
    return done;
  }

  ImportReport report() const override {
    ImportReport report;
    const StraceLineCounts counts = lines();
    report.read.push_back({"lines of strace", counts.of_strace});
    report.leave_out("lines that are not of strace", counts.foreign);
    report.leave_out("places in the program (-k)", counts.places);
    report.leave_out("datagrams of sockets whose ends the log does not tell", translator_.gaps().datagrams);
    report.leave_out(fmt::format("messages over sockets whose ends the log does not tell{}",
                                 translator_.sockets().saw_ends() ? "" : " (-yy has them)"),
                     translator_.gaps().messages);
    report.leave_out("messages over sockets that lead to no process (netlink, packets)", translator_.gaps().foreign);
    report.leave_out("pipes and pairs of sockets whose descriptors the log abbreviates (-s 0; -yy has them)",
                     translator_.gaps().pipes);
    if (const std::uint64_t joined = translator_.sockets().joined_by_order())
      report.notes.push_back(fmt::format("{} joined by the order of calls: the log does not name both ends (-yy does)",
                                         joined == 1 ? "1 connection is" : fmt::format("{} connections are", joined)));
    if (is_cut()) report.notes.push_back("the compressed file is cut off: the rest is missing");
    if (times() == StraceTimeKind::none) report.unknown.push_back(ImportUnknown::times);
    if (times() == StraceTimeKind::seconds) report.unknown.push_back(ImportUnknown::parts_of_second);
    if (!knows_durations()) report.unknown.push_back(ImportUnknown::returns);
    report.unknown.push_back(ImportUnknown::cpu_times);
    report.unknown.push_back(ImportUnknown::cpu_waits);
    report.no_messages = fmt::format(
        "no call of the log sends or receives over a socket or a pipe {}: {} names their ends",
        translator_.sockets().saw_descriptors() ? "that has two known ends" : "whose making it shows", kHowToRecord);
    return report;
  }

 protected:
  // Passes events on with pass().
  virtual Result<void> read(EventSink& sink) = 0;
  virtual StraceLineCounts lines() const = 0;
  virtual StraceTimeKind times() const = 0;
  virtual bool knows_durations() const = 0;
  virtual bool is_cut() const = 0;

  void pass(EventSink& sink) {
    seen_ += translator_.events().size();
    if (!translator_.events().empty()) sink.on_events(translator_.events());
    translator_.events().clear();
  }

  TraceInfo info_;
  StraceTranslator translator_;

 private:
  std::uint64_t seen_ = 0;
};

// One file with all processes, or one process.
class StraceFile : public StraceSource {
 public:
  StraceFile(LineFile file, StraceQuoting quoting, const ImportOptions& options, std::uint32_t tid)
      : StraceSource(options), file_(std::move(file)), quoting_(std::move(quoting)), log_(translator_, tid) {}

  ImportReport report() const override {
    ImportReport report = StraceSource::report();
    report.leave_out(fmt::format("prefixes that another program put before lines ('{}')", quoting_.example()),
                     quoting_.removed());
    return report;
  }

 protected:
  Result<void> read(EventSink& sink) override {
    std::string_view text;
    while (file_.next(text)) {
      log_.take(quoting_.plain(text), file_.is_cut());
      if (translator_.events().size() >= kBatch) pass(sink);
    }
    log_.end();
    return file_.status();
  }
  StraceLineCounts lines() const override { return log_.lines(); }
  StraceTimeKind times() const override { return log_.times(); }
  bool knows_durations() const override { return log_.knows_durations(); }
  bool is_cut() const override { return file_.file_is_cut(); }

 private:
  LineFile file_;
  StraceQuoting quoting_;
  StraceLog log_;
};

// The files of strace -ff, one for each process, by time. A line says when its call began. A call that may wait has ended when the next one
// of its process begins, at the latest, and is taken there, after what it waited for.
class StraceFolder : public StraceSource {
 public:
  struct Part {
    LineFile file;
    std::uint32_t tid = 0;
    StraceClock clock = {};
    std::string text = {}, next_text = {};
    std::int64_t time_ns = 0, next_ns = 0;  // of the two lines
    bool has_next = false, has_begun = false;
  };

  StraceFolder(std::vector<Part> parts, std::uint64_t other_files, const ImportOptions& options)
      : StraceSource(options), parts_(std::move(parts)), other_files_(other_files) {}

  ImportReport report() const override {
    ImportReport report = StraceSource::report();
    report.read.push_back({"files, of a process each", parts_.size()});
    report.leave_out("files that are not of strace -ff", other_files_);
    return report;
  }

 protected:
  Result<void> read(EventSink& sink) override {
    for (std::size_t n = 0; n < parts_.size(); ++n) {
      read_next(parts_[n]);
      advance(n);
    }
    while (!order_.empty()) {
      const std::size_t n = order_.top().part;
      order_.pop();
      act(n);
      if (translator_.events().size() >= kBatch) pass(sink);
    }
    for (const Part& part : parts_)
      if (auto done = part.file.status(); !done) return done.error();
    return {};
  }
  StraceLineCounts lines() const override { return lines_; }
  StraceTimeKind times() const override {
    StraceTimeKind least = StraceTimeKind::epoch;
    for (const Part& part : parts_) least = std::min(least, part.clock.kind());
    return least;
  }
  bool knows_durations() const override { return knows_durations_; }
  bool is_cut() const override {
    return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.file.file_is_cut(); });
  }

 private:
  struct Turn {
    std::int64_t time_ns = 0;
    bool ends = false;  // ends of calls stand behind what happens at the same time
    std::size_t part = 0;

    bool operator>(const Turn& other) const {
      return std::tie(time_ns, ends, part) > std::tie(other.time_ns, other.ends, other.part);
    }
  };

  // The next line of strace in the file.
  void read_next(Part& part) {
    std::string_view text;
    part.has_next = false;
    while (!part.has_next && part.file.next(text)) {
      if (text.empty()) continue;
      const auto line = part.file.is_cut() ? std::nullopt : parse_strace_line(text);
      if (!line) {
        ++(is_stack_line(text) ? lines_.places : part.file.is_cut() ? lines_.broken : lines_.foreign);
        continue;
      }
      ++lines_.of_strace;
      part.next_ns = part.clock.time_ns(*line);
      part.next_text = text;
      part.has_next = true;
    }
  }

  // The line that was read ahead becomes the one to act on.
  void advance(std::size_t n) {
    Part& part = parts_[n];
    if (!part.has_next) return;
    std::swap(part.text, part.next_text);
    part.time_ns = part.next_ns;
    part.has_begun = false;
    read_next(part);
    order_.push({part.time_ns, false, n});
  }

  void act(std::size_t n) {
    Part& part = parts_[n];
    const auto line = parse_strace_line(part.text);
    const auto kind = line->kind == StraceLineKind::call ? strace_call_kind(line->call) : std::nullopt;
    if (line->kind == StraceLineKind::exited) {
      translator_.ended(part.tid, part.time_ns, line->code);
    } else if (kind) {
      StraceCall call{*kind, line->call, part.tid, part.time_ns, part.time_ns, false, {}};
      const auto outcome = parse_outcome(line->text);
      const bool known = outcome && outcome->duration_ns;
      if (known) call.ended_ns += *outcome->duration_ns, call.end_known = knows_durations_ = true;
      if (!part.has_begun) {
        translator_.processes().at(part.tid);
        translator_.begins(*kind, line->call, part.tid, part.time_ns, line->text);
        if (outcome && may_wait(*kind)) {
          part.has_begun = true;
          order_.push({end_of(part, call), true, n});
          return;
        }
      } else {
        call.ended_ns = end_of(part, call);
      }
      if (outcome) {
        call.outcome = *outcome;
        translator_.translate(call);
      }
    }
    advance(n);
  }

  std::int64_t end_of(const Part& part, const StraceCall& call) const {
    return call.end_known ? call.ended_ns : part.has_next ? std::max(part.next_ns, part.time_ns) : part.time_ns;
  }

  std::vector<Part> parts_;
  std::uint64_t other_files_;
  StraceLineCounts lines_;
  bool knows_durations_ = false;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> order_;
};

constexpr std::uint64_t kLinesTried = 1'000'000;

// The first certain line, if there is one.
std::optional<StraceTimeKind> times_of(LineFile& file, StraceQuoting& quoting, bool& is_summary) {
  std::string_view text;
  while (file.number() < kLinesTried && file.next(text)) {
    is_summary |= text.starts_with("% time     seconds");
    const auto line = parse_strace_line(quoting.plain(text));
    if (line && is_certain(*line)) return line->time;
  }
  return std::nullopt;
}

// "log.8026": the number of a file of -ff.
std::uint32_t number_in_name(std::string_view name) {
  for (const std::string_view ending : {".gz", ".xz", ".zst"})
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name.size()) return 0;
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data() + dot + 1, name.data() + name.size(), number);
  return error == std::errc{} && end == name.data() + name.size() ? number : 0;
}

Result<std::unique_ptr<ImportSource>> open_folder(const std::string& path, const ImportOptions& options) {
  const auto recording = look_at(path);
  if (!recording) return recording.error();
  // One open file for each process.
  struct rlimit files {};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  std::vector<StraceFolder::Part> parts;
  std::uint64_t others = 0;
  StraceTimeKind times = StraceTimeKind::epoch;
  for (const std::string& name : recording->files) {
    const std::uint32_t tid = number_in_name(name);
    if (tid == 0) {
      ++others;
      continue;
    }
    auto file = LineFile::open(path + "/" + name);
    if (!file) return file.error();
    bool is_summary = false;
    StraceQuoting none;
    const auto found = times_of(*file, none, is_summary);
    if (!found) {
      ++others;
      continue;
    }
    times = std::min(times, *found);
    if (auto done = file->rewind(); !done) return done.error();
    parts.push_back({*std::move(file), tid});
  }
  if (parts.empty())
    return Error{
        fmt::format("{}: a folder without files of strace -ff, whose names end in the numbers of processes", path)};
  if (times == StraceTimeKind::none || times == StraceTimeKind::relative)
    return Error{fmt::format(
        "{}: the files of strace -ff have no times of the day, so the order between processes is not known: "
        "record with strace -ff -ttt -yy -T -o LOG COMMAND, or read one of the files",
        path)};
  return std::unique_ptr<ImportSource>(std::make_unique<StraceFolder>(std::move(parts), others, options));
}

Result<std::unique_ptr<ImportSource>> open(const std::string& path, const ImportOptions& options) {
  auto file = LineFile::open(path);
  if (!file) {
    const auto recording = look_at(path);
    if (recording && recording->is_folder) return open_folder(path, options);
    return file.error();
  }
  const auto recording = look_at(path);
  if (!recording) return recording.error();
  StraceQuoting quoting = StraceQuoting::learn(recording->head);
  bool is_summary = false;
  StraceQuoting looking = quoting;
  const auto times = times_of(*file, looking, is_summary);
  if (!times && is_summary)
    return Error{fmt::format("{}: the summary of strace -c, without calls: record them with {}", path, kHowToRecord)};
  if (!times) return Error{fmt::format("{}: not a log of strace: record one with {}", path, kHowToRecord)};
  if (auto done = file->rewind(); !done) return done.error();
  const std::uint32_t tid = number_in_name(path.substr(path.rfind('/') + 1));
  return std::unique_ptr<ImportSource>(
      std::make_unique<StraceFile>(*std::move(file), std::move(quoting), options, tid));
}

std::optional<std::string> recognize(const RecordingHead& recording) {
  if (recording.is_folder) {
    const auto count = std::count_if(recording.files.begin(), recording.files.end(),
                                     [](const std::string& name) { return number_in_name(name) != 0; });
    if (count == 0) return std::nullopt;
    for (const std::string& name : recording.files) {
      if (number_in_name(name) == 0) continue;
      const auto file = look_at(recording.path + "/" + name);
      if (file && !file->is_folder && recognize(*file)) return fmt::format("{} logs of strace -ff", count);
      return std::nullopt;
    }
  }
  constexpr std::size_t kCertain = 2;  // a small log may have one line only
  StraceQuoting quoting = StraceQuoting::learn(recording.head);
  std::size_t certain = 0, others = 0;
  std::string_view rest = recording.head;
  while (!rest.empty() && certain < kCertain) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const auto line = parse_strace_line(quoting.plain(rest.substr(0, end)));
    ++(line && is_certain(*line) ? certain : others);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return certain == kCertain || (certain > 0 && others == 0) ? std::optional<std::string>("a log of strace")
                                                             : std::nullopt;
}

}  // namespace

ImportFormat make_strace_import_format() {
  return {"strace",
          "a log of strace, or the folder of its -ff files; best of strace -f -ttt -yy -T",
          {"procTime", "readyTime", "diskTime"},
          recognize,
          open};
}

}  // namespace dpm
