#include "formats/chrome/chrome_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "formats/json/json_documents.hpp"
#include "formats/json/json_value.hpp"
#include "model/counted.hpp"

namespace dpm {
namespace {

constexpr double kTimeEndUs = 4e15;  // nanoseconds fit an event

// A point of an arrow.
struct Point {
  std::uint32_t arrow = 0, thread = 0;
  std::int64_t time_ns = 0;
  char kind = 's';                     // s, t, f
  std::optional<std::uint32_t> bytes;  // as the arrow itself says
};

// What a file has, as far as messages need it.
class ChromeEvents {
 public:
  struct Thread {
    std::string pid, tid, name;
  };

  void read(Json json) {
    const auto list = member(json, "traceEvents");
    for_each_in(list ? list : std::optional<Json>(json), [&](Json event) { take(event); });
  }

  std::vector<Thread> threads;
  std::vector<Point> points;
  std::map<std::string, std::string> process_names;                                   // by pid
  std::map<std::pair<std::uint32_t, std::int64_t>, std::deque<std::uint32_t>> sizes;  // by thread and time of a slice
  std::uint64_t slices = 0, others = 0;

 private:
  void take(Json json) {
    const auto found =
        members<11>(json, {"ph", "pid", "tid", "ts", "id", "bind_id", "cat", "name", "args", "flow_in", "flow_out"});
    const std::string_view kind = text_of(found[0]);
    if (kind == "M") return describe(found[1], found[2], text_of(found[7]), found[8]);
    const bool is_flow = kind == "s" || kind == "t" || kind == "f";
    const bool is_slice = kind == "X" || kind == "B";
    const auto time_ns = time_of(found[3]);
    if (!time_ns || !(is_flow || is_slice)) {
      ++(kind == "E" ? slices : others);
      if (kind == "E") --slices;
      return;
    }
    const std::uint32_t thread = thread_of(found[1], found[2]);
    const auto bytes = bytes_of(found[8]);
    if (is_slice) {
      ++slices;
      if (bytes) sizes[{thread, *time_ns}].push_back(*bytes);
    }
    const bool goes_out = is_slice && is_true(found[10]), comes_in = is_slice && is_true(found[9]);
    if (!is_flow && !goes_out && !comes_in) return;
    // Old arrows are told apart by category, name and id, those of slices by their binding.
    const std::string id = any_text_of(is_flow && found[4] ? found[4] : found[5]);
    const std::uint32_t arrow =
        arrow_of(is_flow ? fmt::format("{}\n{}\n{}", text_of(found[6]), text_of(found[7]), id) : id);
    points.push_back({arrow, thread, *time_ns,
                      is_flow     ? kind.front()
                      : !comes_in ? 's'
                      : goes_out  ? 't'
                                  : 'f',
                      is_flow ? bytes : std::nullopt});
  }

  static std::optional<std::uint32_t> bytes_of(std::optional<Json> arguments) {
    const auto bytes = arguments ? number_of(member(*arguments, "bytes")) : std::nullopt;
    return bytes ? std::optional(static_cast<std::uint32_t>(std::min<std::uint64_t>(*bytes, UINT32_MAX)))
                 : std::nullopt;
  }

  static bool is_true(std::optional<Json> value) {
    bool truth = false;
    return value && value->get(truth) == simdjson::SUCCESS && truth;
  }

  // Microseconds, perhaps as text.
  static std::optional<std::int64_t> time_of(std::optional<Json> value) {
    if (!value) return std::nullopt;
    std::int64_t whole = 0;
    if (value->get(whole) == simdjson::SUCCESS)
      return std::abs(static_cast<double>(whole)) < kTimeEndUs ? std::optional(whole * 1000) : std::nullopt;
    double real = 0;
    if (value->get(real) == simdjson::SUCCESS)
      return std::abs(real) < kTimeEndUs ? std::optional(static_cast<std::int64_t>(std::llround(real * 1000)))
                                         : std::nullopt;
    const auto number = ns_of_us(value);
    return number ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
  }

  void describe(std::optional<Json> pid, std::optional<Json> tid, std::string_view what,
                std::optional<Json> arguments) {
    const std::string name = arguments ? any_text_of(member(*arguments, "name")) : std::string();
    if (name.empty()) return;
    if (what == "process_name") process_names[any_text_of(pid)] = name;
    if (what == "thread_name") threads[thread_of(pid, tid)].name = name;
  }

  std::uint32_t thread_of(std::optional<Json> pid, std::optional<Json> tid) {
    std::string process = any_text_of(pid), thread = any_text_of(tid);
    const auto [known, is_new] =
        known_threads_.try_emplace(process + '\n' + thread, static_cast<std::uint32_t>(threads.size()));
    if (is_new) threads.push_back({std::move(process), std::move(thread), {}});
    return known->second;
  }

  std::uint32_t arrow_of(std::string key) {
    return known_arrows_.try_emplace(std::move(key), static_cast<std::uint32_t>(known_arrows_.size())).first->second;
  }

  std::unordered_map<std::string, std::uint32_t> known_threads_, known_arrows_;
};

class ChromeSource : public ImportSource {
 public:
  ChromeSource(ChromeEvents read, bool is_cut, const ImportOptions& options)
      : read_(std::move(read)), is_cut_(is_cut), machine_(options.machine) {
    info_.source = "chrome";
  }

  Result<void> run(EventSink& sink) override {
    describe_processes();
    translate();
    sink.on_begin(info_);
    std::uint64_t seen = 0;
    for (std::vector<Event>& events : events_) {
      std::stable_sort(events.begin(), events.end(),
                       [](const Event& a, const Event& b) { return a.local_time < b.local_time; });
      constexpr std::size_t kBatch = 4096;
      for (std::size_t at = 0; at < events.size(); at += kBatch)
        sink.on_events(std::span(events).subspan(at, std::min(kBatch, events.size() - at)));
      seen += events.size();
    }
    LossReport losses;
    losses.seen = seen;
    losses.warnings = warnings_of(report());
    sink.on_end(losses);
    return {};
  }

  ImportReport report() const override {
    ImportReport report;
    report.read.push_back({"slices, which are the work of threads", read_.slices});
    report.read.push_back({"ends and steps of arrows", read_.points.size()});
    report.leave_out("trace events of other kinds", read_.others);
    report.leave_out("ends of arrows without a beginning", without_begin_);
    report.leave_out("beginnings of arrows without an end", without_end_);
    if (is_cut_) report.notes.push_back("the file ends in the middle: its last events are missing");
    if (!any_sizes_) report.unknown.push_back(ImportUnknown::sizes);
    report.unknown.push_back(ImportUnknown::cpu_times);
    report.unknown.push_back(ImportUnknown::cpu_waits);
    report.no_messages = fmt::format("{} of {}, and no arrow (flow event) leads from one to another",
                                     counted(read_.slices, "slice"), counted(read_.threads.size(), "thread"));
    return report;
  }

 private:
  // Only threads with arrows: of the others nothing is an event.
  void describe_processes() {
    std::vector<bool> has_arrows(read_.threads.size());
    for (const Point& point : read_.points) has_arrows[point.thread] = true;
    process_of_.resize(read_.threads.size());
    std::map<std::string, ProcessId> first_of;
    // A process is called after its main thread, which has its number.
    std::vector<std::size_t> order;
    for (std::size_t t = 0; t < read_.threads.size(); ++t)
      if (has_arrows[t]) order.push_back(t);
    std::stable_partition(order.begin(), order.end(),
                          [&](std::size_t t) { return read_.threads[t].pid == read_.threads[t].tid; });
    for (const std::size_t t : order) {
      const ChromeEvents::Thread& thread = read_.threads[t];
      const auto named = read_.process_names.find(thread.pid);
      std::string process_name = named == read_.process_names.end() ? "process " + thread.pid : named->second;
      std::string machine = machine_;
      // As dpm export names them: "server on red".
      const std::string on = thread.name + " on ";
      const bool is_own = !thread.name.empty() && process_name.starts_with(on);
      if (is_own) machine = process_name.substr(on.size()), process_name = thread.name;
      ProcessInfo info;
      const auto [first, is_first] =
          first_of.try_emplace(thread.pid, ProcessId{static_cast<std::uint32_t>(info_.processes.size())});
      info.program = process_name;
      if (is_first) {
        info.name = unique(process_name);
        info.machine = machine_named(machine);
      } else {
        info.group = first->second;
        info.machine = info_[first->second].machine;
        info.name = unique(thread.name.empty() ? fmt::format("{}/{}", process_name, thread.tid) : thread.name);
      }
      info.pid = number(thread.pid);
      info.tid = number(thread.tid);
      process_of_[t] = ProcessId{static_cast<std::uint32_t>(info_.processes.size())};
      info_.processes.push_back(std::move(info));
    }
    events_.resize(info_.processes.size());
    if (info_.machines.empty()) machine_named(machine_);
  }

  static std::uint32_t number(const std::string& text) {
    std::uint32_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

  std::string unique(const std::string& name) {
    const std::uint32_t count = ++named_[name];
    return count == 1 ? name : fmt::format("{}#{}", name, count);
  }

  MachineId machine_named(const std::string& name) {
    const auto [known, is_new] =
        machines_.try_emplace(name, MachineId{static_cast<std::uint16_t>(info_.machines.size())});
    if (is_new) info_.machines.push_back({name});
    return known->second;
  }

  void translate() {
    std::vector<Point>& points = read_.points;
    // An arrow ends where it begins at the earliest.
    const auto rank = [](char kind) { return kind == 's' ? 0 : kind == 't' ? 1 : 2; };
    std::stable_sort(points.begin(), points.end(), [&](const Point& a, const Point& b) {
      return std::tuple(a.arrow, a.time_ns, rank(a.kind)) < std::tuple(b.arrow, b.time_ns, rank(b.kind));
    });
    const Point* from = nullptr;
    bool is_used = true;
    for (const Point& point : points) {
      if (from != nullptr && from->arrow != point.arrow) {
        without_end_ += is_used ? 0 : 1;
        from = nullptr;
      }
      if (point.kind != 's') {
        if (from == nullptr) {
          ++without_begin_;
        } else {
          message(*from, point);
          is_used = true;
        }
      } else if (from != nullptr && !is_used) {
        ++without_end_;
      }
      if (point.kind == 's') is_used = false;
      // Slices may share what comes in: the arrow goes on until another begins.
      if (point.kind != 'f') from = &point;
    }
    if (from != nullptr && !is_used) ++without_end_;
  }

  // Of those that begin with the arrow, each has one.
  std::optional<std::uint32_t> size_of_slice(const Point& sent) {
    const auto sizes = read_.sizes.find({sent.thread, sent.time_ns});
    if (sizes == read_.sizes.end() || sizes->second.empty()) return std::nullopt;
    const std::uint32_t bytes = sizes->second.front();
    sizes->second.pop_front();
    return bytes;
  }

  void message(const Point& sent, const Point& received) {
    const ProcessId from = process_of_[sent.thread], to = process_of_[received.thread];
    const auto [found, is_new] =
        channels_.try_emplace({from, to}, ChannelId{static_cast<std::uint32_t>(info_.channels.size())});
    if (is_new) {
      info_.channels.push_back({to, info_[from].name + " > " + info_[to].name});
      sent_.push_back(0);
    }
    const std::optional<std::uint32_t> bytes = sent.bytes ? sent.bytes : size_of_slice(sent);
    any_sizes_ |= bytes.has_value();
    const std::uint64_t number = sent_[found->second.value]++;
    for (const bool sends : {true, false}) {
      Event event;
      event.type = sends ? EventType::send : EventType::receive;
      event.process = sends ? from : to;
      event.peer = sends ? to : from;
      event.machine = info_[event.process].machine;
      event.local_time.ns = sends ? sent.time_ns : received.time_ns;
      event.channel = found->second;
      event.sequence = number;
      event.length_bytes = bytes.value_or(0);
      events_[event.process.value].push_back(event);
    }
  }

  ChromeEvents read_;
  bool is_cut_, any_sizes_ = false;
  std::string machine_;
  TraceInfo info_;
  std::vector<ProcessId> process_of_;  // by thread
  std::map<std::string, std::uint32_t> named_;
  std::map<std::string, MachineId> machines_;
  std::map<std::pair<ProcessId, ProcessId>, ChannelId> channels_;
  std::vector<std::uint64_t> sent_;         // by channel
  std::vector<std::vector<Event>> events_;  // by process
  std::uint64_t without_begin_ = 0, without_end_ = 0;
};

bool has_events(const RecordingHead& recording) {
  return recording.has("traceEvents") ||
         (recording.has("[].ph") && (recording.has("[].ts") || recording.has("[].pid")));
}

std::optional<std::string> recognize(const RecordingHead& recording) {
  if (recording.is_folder || !has_events(recording)) return std::nullopt;
  return "Chrome trace JSON";
}

Result<std::unique_ptr<ImportSource>> open(const std::string& path, const ImportOptions& options) {
  const auto recording = look_at(path);
  if (!recording) return recording.error();
  if (!has_events(*recording)) return Error{path + ": no Chrome trace JSON: it has no list 'traceEvents'"};
  auto documents = JsonDocuments::open(path);
  if (!documents) return documents.error();
  ChromeEvents events;
  simdjson::dom::parser parser;
  while (const auto document = documents->next()) {
    Json json;
    if (const auto wrong = parser.parse(document->data(), document->size(), false).get(json);
        wrong != simdjson::SUCCESS)
      return Error{fmt::format("{}: this is not JSON: {}", path, simdjson::error_message(wrong))};
    events.read(json);
  }
  if (auto done = documents->status(); !done) return Error{fmt::format("{}: {}", path, done.error().what)};
  return std::unique_ptr<ImportSource>(std::make_unique<ChromeSource>(std::move(events), documents->is_cut(), options));
}

}  // namespace

ImportFormat make_chrome_import_format() {
  return {
      "chrome",
      "Chrome trace JSON with arrows (flow events), as chromium --trace-startup and dpm export --to perfetto write it",
      {"procTime", "readyTime", "diskTime"},
      recognize,
      open};
}

}  // namespace dpm
