#include "formats/export/shiviz.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "analysis/vector_clocks/vector_clocks.hpp"
#include "formats/export/clock_text.hpp"
#include "formats/export/message_join.hpp"
#include "formats/export/names.hpp"
#include "formats/export/text_output.hpp"

namespace dpm {
namespace {

// What ShiViz takes from a file before the log: the expression that takes events apart, and one between executions, of
// which there is one. Without the first it would expect what happened in front of the host and its clock.
constexpr std::string_view kParser = R"((?<host>\S*) (?<clock>{.*})\n(?<event>.*))"
                                     "\n\n";

// A host's name ends at the first space of a line.
std::string host_name(std::string_view label) {
  std::string name;
  for (const char c : label) name += c == ' ' ? '_' : c;
  // Other white space of Unicode would end it too.
  for (const std::string_view space : {"\xc2\xa0", "\xe3\x80\x80", "\xef\xbb\xbf", "\xe1\x9a\x80", "\xe2\x80\xa8",
                                       "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f"})
    for (std::size_t at; (at = name.find(space)) != std::string::npos;) name.replace(at, space.size(), "_");
  for (unsigned char last = 0x80; last <= 0x8a; ++last) {
    const std::string space = {'\xe2', '\x80', static_cast<char>(last)};
    for (std::size_t at; (at = name.find(space)) != std::string::npos;) name.replace(at, space.size(), "_");
  }
  return name;
}

class ShivizExporter : public Exporter {
 public:
  ShivizExporter(TextOutput output, const ExportOptions& options) : output_(std::move(output)), options_(options) {}

  void on_begin(const TraceInfo& /*info*/) override {}

  void on_events(std::span<const Event> batch) override {
    for (const Event& event : batch) add(event);
  }

  Result<void> finish(const TraceInfo& info, const Ledger& ledger) override {
    if (too_many_) return Error{"shiviz: the trace has more than 4 billion events; ShiViz shows some hundreds"};
    const auto processes = static_cast<std::uint32_t>(info.processes.size());
    add_beginnings_and_ends(processes);
    name_hosts(info);
    if (!options_.threads) fold_threads(info);
    output_.write(kParser);
    clocks_.resize(processes);
    VectorClocks clocks(process_of_, processes, std::move(arcs_));
    const std::uint64_t circles =
        clocks.visit([&](std::uint32_t event, const VectorClock& clock) { print(info, event, clock); });
    print_caveats(ledger, circles);
    return output_.close();
  }

 private:
  // Of printed clocks: they would grow with the square of the processes.
  static constexpr std::size_t kClocksBytesMax = std::size_t{64} << 20;

  struct Kept {
    std::uint64_t sequence = 0;
    std::uint32_t length_bytes = 0;
    ProcessId peer;
    ChannelId channel;
    EventType type = EventType::send;
  };

  void add(const Event& event) {
    // What happens to a process and not in it has no place in its order.
    if (event.process.is_none()) return;
    if (events_.size() == UINT32_MAX) {
      too_many_ = true;
      return;
    }
    const auto number = static_cast<std::uint32_t>(events_.size());
    events_.push_back({event.sequence, event.length_bytes, event.peer, event.channel, event.type});
    process_of_.push_back(event.process.value);
    if (!options_.threads) times_.push_back(event.local_time);
    if (const auto message = messages_.add(event, number, 0))
      arcs_.push_back({message->sent.event, message->received.event});
    if (event.type == EventType::create_process && !event.peer.is_none()) creations_.push_back(number);
    if (event.type == EventType::wait && event.code <= static_cast<std::uint32_t>(WaitKind::thread_end) &&
        !event.peer.is_none())
      waits_for_ends_.push_back(number);
  }

  // A process begins after its creation, and a wait for its end goes on after its last event.
  void add_beginnings_and_ends(std::uint32_t processes) {
    constexpr std::uint32_t kNone = UINT32_MAX;
    std::vector<std::uint32_t> first(processes, kNone), last(processes, kNone);
    for (std::uint32_t event = 0; event < process_of_.size(); ++event) {
      if (first.at(process_of_[event]) == kNone) first[process_of_[event]] = event;
      last[process_of_[event]] = event;
    }
    for (const std::uint32_t creation : creations_) {
      const std::uint32_t created = events_[creation].peer.value;
      if (created < processes && first[created] != kNone) arcs_.push_back({creation, first[created]});
    }
    for (const std::uint32_t wait : waits_for_ends_) {
      const std::uint32_t ended = events_[wait].peer.value;
      if (ended < processes && last[ended] != kNone) arcs_.push_back({last[ended], wait});
    }
  }

  // The threads of a process become one host: its events in the order of their machine's clock.
  void fold_threads(const TraceInfo& info) {
    const auto process_of = [&](std::uint32_t thread) {
      const ProcessId group = thread < info.processes.size() ? info.processes[thread].group : ProcessId{};
      return group.value < info.processes.size() ? group.value : thread;
    };
    std::map<std::uint32_t, std::vector<std::uint32_t>> events_of;  // of processes that have threads
    for (std::uint32_t p = 0; p < info.processes.size(); ++p)
      if (process_of(p) != p) events_of.try_emplace(process_of(p));
    if (events_of.empty()) return;
    for (std::uint32_t event = 0; event < events_.size(); ++event) {
      process_of_[event] = process_of(process_of_[event]);
      if (events_[event].peer.value < info.processes.size())
        events_[event].peer = ProcessId{process_of(events_[event].peer.value)};
      const auto found = events_of.find(process_of_[event]);
      if (found != events_of.end()) found->second.push_back(event);
    }
    std::vector<std::uint32_t> place_of(events_.size());
    std::iota(place_of.begin(), place_of.end(), 0u);
    const std::vector<Kept> before = events_;
    for (const auto& [process, places] : events_of) {
      std::vector<std::uint32_t> in_time = places;
      std::stable_sort(in_time.begin(), in_time.end(), [&](auto a, auto b) { return times_[a] < times_[b]; });
      for (std::size_t i = 0; i < places.size(); ++i) {
        events_[places[i]] = before[in_time[i]];
        place_of[in_time[i]] = places[i];
      }
    }
    for (CausalArc& arc : arcs_) arc = {place_of[arc.cause], place_of[arc.effect]};
  }

  void name_hosts(const TraceInfo& info) {
    labels_ = process_labels(info);
    std::vector<bool> used(labels_.size());
    std::vector<std::string> hosts;
    for (std::size_t p = 0; p < labels_.size(); ++p) {
      std::string host = host_name(labels_[p]);
      while (std::find(hosts.begin(), hosts.end(), host) != hosts.end()) host += fmt::format("#{}", p);
      keys_.push_back(json_text(host));
      hosts.push_back(std::move(host));
    }
    hosts_ = std::move(hosts);
    for (std::uint32_t c = 0; c < info.channels.size(); ++c) channels_.push_back(channel_label(info, {c}));
  }

  void print(const TraceInfo& info, std::uint32_t number, const VectorClock& clock) {
    const std::uint32_t process = process_of_[number];
    output_.write(hosts_[process]);
    output_.write(" {");
    print_clock(process, clock);
    output_.write("}\n");
    const Kept& event = events_[number];
    output_.write(name_of(event.type));
    if (event.peer.value < labels_.size()) {
      output_.write(event.type == EventType::receive ? " from " : " to ");
      output_.write(labels_[event.peer.value]);
    }
    if (event.channel.value < info.channels.size())
      output_.print_often(FMT_COMPILE(", {} bytes, {}, number {}"), event.length_bytes,
                          channels_.at(event.channel.value), event.sequence);
    output_.write("\n");
  }

  void print_clock(std::uint32_t process, const VectorClock& clock) {
    ClockText& text = clocks_[process];
    clocks_bytes_ -= text.memory_bytes();
    output_.write(text.print(clock, keys_));
    clocks_bytes_ += text.memory_bytes();
    if (clocks_bytes_ <= kClocksBytesMax) return;
    clocks_.assign(clocks_.size(), {});
    clocks_bytes_ = 0;
  }

  // The format has no comments, so what is lost is a host of its own.
  void print_caveats(const Ledger& ledger, std::uint64_t circles) {
    std::string host = "DPM:LOST";
    while (std::find(hosts_.begin(), hosts_.end(), host) != hosts_.end()) host += '!';
    int line = 0;
    const auto print_line = [&](const std::string& text) {
      output_.print("{} {{{}:{}}}\n{}\n", host, json_text(host), ++line, text);
    };
    for (const Loss& loss : ledger.losses)
      print_line(fmt::format("{} events are lost: {}", loss.events, clean_text(loss.reason)));
    for (const std::string& warning : ledger.warnings) print_line("warning: " + clean_text(warning));
    if (circles > 0)
      print_line(fmt::format("warning: {} messages cause each other in a circle and are left out", circles));
  }

  TextOutput output_;
  ExportOptions options_;
  MessageJoin messages_;
  std::vector<Kept> events_;
  std::vector<std::uint32_t> process_of_;  // by event
  std::vector<LocalTime> times_;           // likewise, where threads are folded
  std::vector<CausalArc> arcs_;
  std::vector<std::uint32_t> creations_, waits_for_ends_;  // numbers of events
  std::vector<std::string> labels_, hosts_, keys_;         // by process
  std::vector<std::string> channels_;                      // their names
  std::vector<ClockText> clocks_;                          // by process
  std::size_t clocks_bytes_ = 0;                           // that these take
  bool too_many_ = false;
};

}  // namespace

ExportFormat make_shiviz_export_format() {
  return {"shiviz", "a log with vector clocks, for ShiViz", true, false,
          [](const std::string& path, const TimeAxis& /*time*/,
             const ExportOptions& options) -> Result<std::unique_ptr<Exporter>> {
            auto output = TextOutput::create(path);
            if (!output) return output.error();
            return std::unique_ptr<Exporter>(std::make_unique<ShivizExporter>(*std::move(output), options));
          }};
}

}  // namespace dpm
