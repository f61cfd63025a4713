#include "formats/export/dot.hpp"

#include <cmath>
#include <set>

#include "analysis/statistics/statistics.hpp"
#include "analysis/statistics/threads.hpp"
#include "formats/export/names.hpp"
#include "formats/export/text_output.hpp"
#include "model/counted.hpp"

namespace dpm {
namespace {

// In quotes. A backslash would begin an escape of Graphviz ("\N" is the name of the node).
std::string dot_text(std::string_view text) {
  std::string quoted;
  for (const char c : clean_text(text)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

// Graphviz reads at most 16384 bytes in quotes, and joins pieces. None may end inside an escape.
std::string in_pieces(std::string_view quoted) {
  constexpr std::size_t kPieceBytes = 8000;
  std::string pieces;
  std::size_t begin = 0;
  bool is_escaped = false;
  for (std::size_t at = 0; at < quoted.size(); ++at) {
    if (at - begin >= kPieceBytes && !is_escaped) {
      pieces += "\" + \"";
      begin = at;
    }
    is_escaped = !is_escaped && quoted[at] == '\\';
    pieces += quoted[at];
  }
  return pieces;
}

// Graphviz refuses graphs whose nodes are too wide.
std::string node_text(std::string_view label) {
  constexpr std::size_t kBytesMax = 200;
  if (label.size() <= kBytesMax) return dot_text(label);
  std::size_t end = kBytesMax;
  while ((static_cast<unsigned char>(label[end]) & 0xc0) == 0x80) --end;  // not inside a character
  return dot_text(label.substr(0, end)) + "\xe2\x80\xa6";
}

class DotExporter : public Exporter {
 public:
  DotExporter(TextOutput output, const ExportOptions& options) : output_(std::move(output)), options_(options) {}

  void on_begin(const TraceInfo& info) override { statistics_.on_begin(info); }
  void on_events(std::span<const Event> batch) override { statistics_.on_events(batch); }
  void on_end(const LossReport& losses) override { statistics_.on_end(losses); }

  Result<void> finish(const TraceInfo& info, const Ledger& ledger) override {
    const Statistics statistics = options_.threads ? statistics_.result() : sum_threads(statistics_.result(), info);
    output_.write("digraph dpm {\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n");
    output_.write("  edge [fontname=\"sans-serif\", fontsize=10];\n");
    print_caption(statistics, ledger);
    const auto labels = process_labels(info);
    std::set<std::uint32_t> talking;
    for (const Traffic& traffic : statistics.messages)
      for (const ProcessId end : {traffic.from, traffic.to})
        if (!end.is_none()) talking.insert(end.value);
    for (const ProcessStatistics& process : statistics.processes) {
      talking.erase(process.process.value);
      output_.print("  p{} [label=\"{}\\n{:.3f} s CPU\"{}];\n", process.process.value,
                    node_text(labels.at(process.process.value)), static_cast<double>(process.cpu_ns) * 1e-9,
                    process.in_computation ? "" : ", style=\"rounded,dashed\"");
    }
    for (const std::uint32_t outside : talking)
      output_.print("  p{} [label=\"{}\", style=\"rounded,dashed\"];\n", outside, node_text(labels.at(outside)));
    for (const Traffic& traffic : statistics.messages) print_edge(traffic);
    output_.write("}\n");
    return output_.close();
  }

 private:
  void print_caption(const Statistics& statistics, const Ledger& ledger) {
    std::string caption = fmt::format("{} events", statistics.events);
    for (const Loss& loss : ledger.losses)
      caption += fmt::format("\\n{} events lost: {}", loss.events, dot_text(loss.reason));
    for (const std::string& warning : ledger.warnings) caption += "\\nwarning: " + dot_text(warning);
    output_.print("  label=\"{}\";\n", in_pieces(caption));
  }

  void print_edge(const Traffic& traffic) {
    if (traffic.messages() == 0) return;
    const auto name = [](ProcessId process) {
      return process.is_none() ? std::string("unknown") : fmt::format("p{}", process.value);
    };
    output_.print("  {} -> {} [label=\"{}\\n{}\", penwidth={:.2f}, weight={}];\n", name(traffic.from), name(traffic.to),
                  counted(traffic.messages(), "message"), counted(traffic.bytes(), "byte"),
                  1 + std::log10(static_cast<double>(traffic.messages())),
                  1 + static_cast<int>(std::log2(static_cast<double>(traffic.messages()))));
  }

  TextOutput output_;
  ExportOptions options_;
  StatisticsAnalysis statistics_;
};

}  // namespace

ExportFormat make_dot_export_format() {
  return {"dot", "a graph for Graphviz: who talks to whom", true, false,
          [](const std::string& path, const TimeAxis& /*time*/,
             const ExportOptions& options) -> Result<std::unique_ptr<Exporter>> {
            auto output = TextOutput::create(path);
            if (!output) return output.error();
            return std::unique_ptr<Exporter>(std::make_unique<DotExporter>(*std::move(output), options));
          }};
}

}  // namespace dpm
