// dpm import: a recording of another tool as a trace.
#include <fmt/format.h>

#include "answers/results/ledger_results.hpp"
#include "cli/command.hpp"
#include "cli/trace_options/compress_option.hpp"
#include "filter/event_filter.hpp"
#include "formats/import/import_formats.hpp"
#include "text/printable.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_writer.hpp"

namespace dpm::cli {
namespace {

class ImportCommand : public Command {
 public:
  std::string name() const override { return "import"; }
  std::string summary() const override {
    return "A recording of another tool as a trace: strace, OpenTelemetry, OTF2, JSON";
  }
  std::string example() const override {
    return "strace -f -ttt -yy -o program.strace program; dpm import program.strace --from strace -o out";
  }

  void describe(Options& options) override {
    std::string formats = "The format:";
    for (const ImportFormat& format : import_formats()) formats += fmt::format("\n{}: {}", format.name, format.summary);
    options.value("FILE", file_, "The recording").required();
    options.value("--from", from_, formats).required();
    options.value("-o,--output", output_, "The trace directory to write; what exists is not overwritten").required();
    options.value("--machine", options_.machine, "What to call the machine, where the recording does not say it");
    describe_compress(options, compress_);
  }

  int run(Terminal& terminal) override {
    const auto format = import_format_named(from_);
    if (!format) return refuse(terminal, *this, format.error());
    const auto source = (*format)->open(file_, options_);
    if (!source) return refuse(terminal, *this, source.error());
    const auto layouts = event_layouts();
    std::vector<RuleSet> rules = {RuleSet::keep_all(layouts)};
    for (const std::string_view field : (*format)->missing_fields) rules[0].discard(layouts, field);
    auto writer = TraceWriter::create(output_, describe_events({"filter"}, rules), {.compressed = compress_});
    if (!writer) return refuse(terminal, *this, writer.error());
    EventFilter filter(std::move(rules), **writer);
    auto done = (*source)->run(filter);
    if (done) done = (*writer)->status();
    if (!done) {
      terminal.err << "dpm import: " << printable(done.error().what) << '\n';
      return kFellShort;
    }
    terminal.err << "wrote " << printable(output_) << '\n';
    print_ledger((*writer)->ledger(), terminal);
    return kDone;
  }

 private:
  std::string file_, from_, output_;
  ImportOptions options_{"machine"};
  bool compress_ = false;
};

}  // namespace

std::unique_ptr<Command> make_import() { return std::make_unique<ImportCommand>(); }

}  // namespace dpm::cli
