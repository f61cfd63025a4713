#include "sampling/log/state_log_writer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "sampling/log/state_log_file.hpp"

namespace dpm::sampling {
namespace {

std::string_view word_of(const ThreadSample& thread) {
  return thread.recognised ? info_of(thread.state).name : kUnrecognisedWord;
}

}  // namespace

Result<StateLogWriter> StateLogWriter::create(const std::string& path, const SamplingSetup& setup,
                                              std::int64_t local_offset_ns) {
  if (::access(path.c_str(), F_OK) == 0) return Error{path + " exists already; nothing is overwritten"};
  std::ofstream file(path, std::ios::binary);
  file << fmt::format("{}\nsource {}\ninterval_ns {}\nmachine {}\nstates {}\n", kStateLogFirstLine, setup.source,
                      setup.interval_ns, setup.machine, state_words())
       << std::flush;
  if (!file) return Error::from_errno("write " + path);
  return StateLogWriter(path, std::move(file), local_offset_ns);
}

void StateLogWriter::add(const Sample& sample, std::int64_t began_ns) {
  ++samples_;
  std::string text = fmt::format("sample {}\n", began_ns + local_offset_ns_);
  for (const ThreadSample& thread : sample.threads) {
    if (thread.thread == 0) continue;
    const auto [entry, is_new] = known_.try_emplace({thread.thread, thread.start_ticks}, Known{.number = threads_});
    if (is_new) text += fmt::format("thread {} {}\n", thread.thread, thread.start_ticks), ++threads_;
    Known& known = entry->second;
    known.sample = samples_;
    const std::string_view word = word_of(thread);
    if (!is_new && thread.waits_still && known.state == word) continue;
    known.state = word;
    text += fmt::format("{} {} {}\n", known.number, word, thread.seen_ns - began_ns);
  }
  for (auto entry = known_.begin(); entry != known_.end();) {
    const bool is_gone = entry->second.sample != samples_;
    if (is_gone) text += fmt::format("gone {}\n", entry->second.number);
    entry = is_gone ? known_.erase(entry) : std::next(entry);
  }
  file_ << text << std::flush;
}

Result<void> StateLogWriter::status() const {
  if (!file_) return Error{"the samples could not be written to " + path_};
  return {};
}

}  // namespace dpm::sampling
