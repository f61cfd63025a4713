// dpm compress: the same trace with its packets compressed, or plain again.
#include <fmt/format.h>

#include "answers/reading/await_recorder.hpp"
#include "cli/command.hpp"
#include "text/printable.hpp"
#include "trace/repack.hpp"
#include "trace/trace_reader.hpp"

namespace dpm::cli {
namespace {

class CompressCommand : public Command {
 public:
  std::string name() const override { return "compress"; }
  std::string summary() const override { return "The same trace with its packets compressed, or plain again"; }
  std::string example() const override { return "dpm compress out -o small; dpm compress --undo small -o plain"; }

  void describe(Options& options) override {
    options.value("TRACE", trace_, "A trace directory, or an output directory of a run").required();
    options.value("-o,--output", output_, "The trace to write; nothing is overwritten").required();
    options.flag("--undo", undo_, "Make a plain trace of a compressed one, for other readers of CTF");
  }

  int run(Terminal& terminal) override {
    await_recorder(trace_directory(trace_));
    const auto done = repack_trace(trace_, output_, !undo_);
    if (!done) return refuse(terminal, *this, done.error());
    for (const auto& damage : done->damage) terminal.err << "warning: " << printable(damage) << '\n';
    terminal.err << fmt::format("wrote {}: {} bytes of packets were {}\n", printable(output_), done->bytes_after,
                                done->bytes_before);
    return done->damage.empty() ? kDone : kFellShort;
  }

 private:
  std::string trace_, output_;
  bool undo_ = false;
};

}  // namespace

std::unique_ptr<Command> make_compress() { return std::make_unique<CompressCommand>(); }

}  // namespace dpm::cli
