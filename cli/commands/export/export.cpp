// dpm export: a trace in the format of another tool.
#include <fmt/format.h>

#include <optional>

#include "answers/reading/trace_input.hpp"
#include "answers/results/clocks_results.hpp"
#include "answers/results/ledger_results.hpp"
#include "cli/command.hpp"
#include "formats/export/export_formats.hpp"
#include "formats/export/pending_file.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

class ExportCommand : public Command {
 public:
  std::string name() const override { return "export"; }
  std::string summary() const override { return "Write a trace for another tool: Perfetto, SQLite, Graphviz, ..."; }
  std::string example() const override { return "dpm export out/trace --to perfetto -o trace.json"; }

  void describe(Options& options) override {
    std::string formats = "The format:";
    for (const ExportFormat& format : export_formats()) formats += fmt::format("\n{}: {}", format.name, format.summary);
    options.value("TRACE", trace_, "A trace directory, or the output directory of a run").required();
    options.value("--to", to_, formats).required();
    options.value("-o,--output", output_, "The file to write (default: standard output); nothing is overwritten");
    options.flag(
        "--threads", options_.threads,
        "Each thread by itself, also in formats that have no threads (dot, prometheus, shiviz), where they count for "
        "their processes otherwise");
    options.flag("--overwrite", overwrite_, "Replace the file if it exists");
  }

  int run(Terminal& terminal) override {
    const auto format = export_format_named(to_);
    if (!format) return refuse(terminal, *this, format.error());
    if (output_.empty() && !(*format)->to_stdout)
      return refuse(terminal, *this, Error{fmt::format("--to {} needs a file: add -o FILE", to_)});
    std::optional<PendingFile> file;
    if (!output_.empty()) {
      auto created = PendingFile::create(output_, overwrite_ ? Existing::replaced : Existing::refused);
      if (!created) return refuse(terminal, *this, created.error());
      file.emplace(*std::move(created));
    }
    TimeSurvey survey;
    if ((*format)->has_times)
      if (const auto surveyed = read_trace(trace_, {&survey}); !surveyed)
        return refuse(terminal, *this, surveyed.error());
    const TimeAxis axis = survey.axis();
    const auto exporter = (*format)->start(file ? file->path() : "", axis, options_);
    if (!exporter) return refuse(terminal, *this, exporter.error());
    const auto input = read_trace(trace_, {exporter->get()});
    if (!input) return refuse(terminal, *this, input.error());
    auto done = (*exporter)->finish(input->info, input->ledger);
    if (done && file) done = file->finish();
    if (!done) {
      terminal.err << "dpm export: " << printable(done.error().what) << '\n';
      return kFellShort;
    }
    if ((*format)->has_times) print_clock_notes(survey.clocks(), input->info, terminal.err);
    if (file) terminal.err << "wrote " << printable(output_) << '\n';
    print_ledger(input->ledger, terminal);
    return kDone;
  }

 private:
  std::string trace_, to_, output_;
  ExportOptions options_;
  bool overwrite_ = false;
};

}  // namespace

std::unique_ptr<Command> make_export() { return std::make_unique<ExportCommand>(); }

}  // namespace dpm::cli
