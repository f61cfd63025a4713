#include "control/controller/log_fetch.hpp"

#include <fmt/format.h>

namespace dpm::control {

Result<void> LogFetch::fetch(const LogPlace& place, const std::string& destination,
                             const std::vector<Undelivered>& undelivered) {
  auto done = fetch_as_it_is(place, destination, undelivered);
  console_.progress("");
  if (!done && machines_.is_interrupted()) return Error{"interrupted: nothing of the log is kept here"};
  return done;
}

// While a filter works, files of its log come and go: after a failure, fetch the log again as it is then.
Result<void> LogFetch::fetch_as_it_is(const LogPlace& place, const std::string& destination,
                                      const std::vector<Undelivered>& undelivered) {
  constexpr int kTimes = 5;
  for (int time = 1;; ++time) {
    fetched_bytes_ = 0;
    shown_at_ = Clock::now();
    auto log = FetchedLog::begin(destination);
    if (!log) return log.error();
    const auto files = log_files(place);
    if (!files) return files.error();
    auto fetched = fetch_files(place, *files, *log);
    const bool is_folder = *files != std::vector<std::string>{"."};
    if (fetched && is_folder && !undelivered.empty()) fetched = log->append(kUndeliveredName, to_json(undelivered));
    if (fetched) return log->finish();
    if (time == kTimes || machines_.is_interrupted()) return fetched;
    const auto files_now = log_files(place);
    if (!files_now || *files_now == *files) return fetched;
  }
}

Result<std::vector<std::string>> LogFetch::log_files(const LogPlace& place) {
  auto files = expect<LogFiles>(machines_.ask({{place.machine, GetLog{.log = place.log}}}).at(0));
  if (!files) return files.error();
  if (files->files.size() > kFilesMax)
    return Error{fmt::format("its machine names {} files of the log, more than any log has", files->files.size())};
  return files->files;
}

Result<void> LogFetch::fetch_files(const LogPlace& place, const std::vector<std::string>& files, FetchedLog& log) {
  for (const auto& file : files)
    if (auto done = fetch_file(place, file, log); !done) return done;
  return {};
}

Result<void> LogFetch::fetch_file(const LogPlace& place, const std::string& file, FetchedLog& log) {
  for (std::uint64_t offset = 0;;) {
    if (machines_.is_interrupted()) return Error{"interrupted"};
    GetLog request{.log = place.log, .file = file, .offset = offset};
    auto piece = expect<LogPiece>(machines_.ask({{place.machine, std::move(request)}}).at(0));
    if (!piece) return piece.error();
    if (auto done = log.append(file, piece->bytes); !done) return done;
    fetched_bytes_ += piece->bytes.size();
    show_progress(place.whose);
    if (piece->last) return {};
    if (piece->bytes.empty()) return Error{fmt::format("the log's file '{}' does not end", file)};
    offset += piece->bytes.size();
  }
}

void LogFetch::show_progress(const std::string& whose) {
  constexpr std::chrono::milliseconds kEvery{300};  // what takes less shows nothing
  const auto now = Clock::now();
  if (now - shown_at_ < kEvery) return;
  shown_at_ = now;
  console_.progress(
      fmt::format("log of {}: {:.1f} MB so far; control-C ends this", whose, double(fetched_bytes_) / 1e6));
}

}  // namespace dpm::control
