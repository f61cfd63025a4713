// dpm filter: the standard filter. It reads meter messages on standard input, like any filter of the metering report.
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "answers/results/ledger_results.hpp"
#include "cli/command.hpp"
#include "cli/trace_options/compress_option.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "cli/trace_options/window_option.hpp"
#include "filter/filter_files.hpp"
#include "filter/meter_stream_filter.hpp"
#include "filter/standard_filter.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

class FilterCommand : public Command {
 public:
  std::string name() const override { return "filter"; }
  std::string summary() const override { return "The standard filter: meter messages on standard input, a trace out"; }
  std::string example() const override {
    return "dpm filter --descriptions unix.desc --templates sends.rules -o kept < meter-messages";
  }

  void describe(Options& options) override {
    options.value("--descriptions", files_.descriptions,
                  "The layouts of the event records (default: those of dpm's own meters, with names)");
    options.value("--templates", files_.templates, "The selection rules (default: everything is kept)");
    options.value("-o,--output", files_.directory, "A new trace directory (required, except with --check)");
    window_.describe(options, "trace");
    describe_compress(options, files_.form.compressed);
    options.flag("--check", check_, "Only report what is wrong with the descriptions and rules, with file and line");
    options.required_if("--output", [this] { return files_.directory.empty() && !check_; });
    options.flag("--json", json_, "Print the ledger as JSON");
  }

  int run(Terminal& terminal) override {
    const auto notes = check_filter_files(files_.descriptions, files_.templates);
    if (!notes) return refuse(terminal, *this, notes.error());
    for (const auto& note : *notes) terminal.err << "note: " << printable(note) << '\n';
    if (check_) return kDone;
    files_.form.window = window_.window();
    ::signal(SIGXFSZ, SIG_IGN);  // a log that reaches the limit of a file's size is a full disk
    const auto ledger = files_.descriptions.empty()
                            ? filter_meter_stream(files_.templates, files_.directory, STDIN_FILENO, files_.form)
                            : filter_meter_messages(files_, STDIN_FILENO);
    if (!ledger) return refuse(terminal, *this, ledger.error());
    if (json_) print_json({{"trace", files_.directory}, {"ledger", ledger_json(*ledger)}}, terminal);
    print_ledger(*ledger, terminal);
    return kDone;
  }

 private:
  StandardFilterFiles files_;
  WindowOption window_;
  bool json_ = false, check_ = false;
};

}  // namespace

std::unique_ptr<Command> make_filter() { return std::make_unique<FilterCommand>(); }

}  // namespace dpm::cli
