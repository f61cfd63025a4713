#include "sampling/log/state_log_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "os/whole_io.hpp"
#include "sampling/log/state_log_file.hpp"

namespace dpm::sampling {
namespace {

std::string_view word_of(const ThreadSample& thread) {
  return thread.recognised ? info_of(thread.state).name : kUnrecognisedWord;
}

}  // namespace

Result<StateLogWriter> StateLogWriter::create(const std::string& path, const SamplingSetup& setup,
                                              std::int64_t local_offset_ns) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file && errno == EEXIST) return Error{path + " exists already; nothing is overwritten"};
  if (!file) return Error::from_errno("write " + path);
  StateLogWriter writer(path, std::move(file), local_offset_ns);
  if (!writer.write(fmt::format("{}\nsource {}\ninterval_ns {}\nmachine {}\nstates {}\n", kStateLogFirstLine,
                                setup.source, setup.interval_ns, setup.machine, state_words()))) {
    ::unlink(path.c_str());
    return Error{writer.failure_};
  }
  return writer;
}

bool StateLogWriter::write(std::string_view text) {
  if (!failure_.empty()) return false;
  if (write_all(file_.get(), text)) {
    bytes_ += static_cast<off_t>(text.size());
    return true;
  }
  failure_ = Error::from_errno("write " + path_).what;
  // If even that is refused, the reader leaves out the last line, and takes the sample before it for the last.
  [[maybe_unused]] const int done = ::ftruncate(file_.get(), bytes_);
  return false;
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
  write(text);
}

Result<void> StateLogWriter::status() const {
  if (failure_.empty()) return {};
  return Error{fmt::format("{}; it ends with the last sample that could be written", failure_)};
}

}  // namespace dpm::sampling
