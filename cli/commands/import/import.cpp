// dpm import: a recording of another tool as a trace.
#include <fmt/format.h>

#include <filesystem>

#include "cli/command.hpp"
#include "cli/importing/importing.hpp"
#include "cli/trace_options/compress_option.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

class ImportCommand : public Command {
 public:
  std::string name() const override { return "import"; }
  std::string summary() const override {
    return "A recording of another tool as a trace: strace, spans, Chrome, OTF2, JSON";
  }
  std::string example() const override {
    return "strace -f -ttt -yy -T -o program.strace program; dpm import program.strace -o out";
  }

  void describe(Options& options) override {
    std::string formats = "The format (default: recognised from its content):";
    for (const ImportFormat& format : import_formats()) formats += fmt::format("\n{}: {}", format.name, format.summary);
    options.value("FILE", request_.file, "The recording; it may be compressed with gzip, xz or zstd").required();
    options.value("--from", request_.from, formats);
    options.value("-o,--output", request_.output, "The trace directory to write; nothing is overwritten").required();
    options.value("--machine", request_.options.machine, "The name of the machine, if the recording does not have one");
    describe_compress(options, request_.compressed);
  }

  int run(Terminal& terminal) override {
    const auto recording = open_recording(request_);
    if (!recording) return refuse(terminal, *this, recording.error());
    if (std::filesystem::exists(request_.output))
      return refuse(terminal, *this,
                    Error{request_.output + " exists already: name a directory that does not, or remove this one"});
    if (!recording->what.empty())
      terminal.err << fmt::format("{}: {} (--from {})\n", printable(request_.file), printable(recording->what),
                                  recording->format->name);
    const auto imported = write_recording(*recording, request_);
    if (!imported) {
      terminal.err << "dpm import: " << printable(imported.error().what) << '\n';
      return kFellShort;
    }
    terminal.err << "wrote " << printable(request_.output) << '\n';
    print_imported(*imported, terminal);
    return kDone;
  }

 private:
  ImportRequest request_{.file = {}, .from = {}, .output = {}, .options = {"machine"}};
};

}  // namespace

std::unique_ptr<Command> make_import() { return std::make_unique<ImportCommand>(); }

}  // namespace dpm::cli
