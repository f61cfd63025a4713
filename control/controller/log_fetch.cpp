#include "control/controller/log_fetch.hpp"

#include <fmt/format.h>

#include "trace/delivery_report.hpp"

namespace dpm::control {
namespace {

// Of two reports of deliveries, one from before the log was listed, which waits until the filter has had the time to write.
// While events come, a filter that works has written those of the earlier one only; what another cannot write is lost.
std::string report_for_log(const std::string& before, const std::string& after) {
  const auto earlier = delivery_report_from_json(kDeliveryName, before);
  const auto later = delivery_report_from_json(kDeliveryName, after);
  const bool is_writing = later && later->account.problem.empty();
  return earlier && is_writing && earlier->delivered() < later->delivered() ? before : after;
}

}  // namespace

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
    const std::string before = deliveries_to(place);
    const auto files = log_files(place);
    if (!files) return files.error();
    auto fetched = fetch_files(place, *files, report_for_log(before, deliveries_to(place)), *log);
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

// The report of all deliveries to the filter so far; empty: there is none.
std::string LogFetch::deliveries_to(const LogPlace& place) {
  std::string text;
  const auto read = read_file(place, kDeliveryName, [&](std::string_view piece) -> Result<void> {
    text += piece;
    return {};
  });
  return read ? text : "";
}

Result<void> LogFetch::fetch_files(const LogPlace& place, const std::vector<std::string>& files,
                                   const std::string& deliveries, FetchedLog& log) {
  for (const auto& file : files) {
    const Take append = [&](std::string_view piece) { return log.append(file, piece); };
    const bool is_known = file == kDeliveryName && !deliveries.empty();
    if (auto done = is_known ? append(deliveries) : read_file(place, file, append); !done) return done;
  }
  return {};
}

Result<void> LogFetch::read_file(const LogPlace& place, const std::string& file, const Take& take) {
  for (std::uint64_t offset = 0;;) {
    if (machines_.is_interrupted()) return Error{"interrupted"};
    GetLog request{.log = place.log, .file = file, .offset = offset};
    auto piece = expect<LogPiece>(machines_.ask({{place.machine, std::move(request)}}).at(0));
    if (!piece) return piece.error();
    if (auto done = take(piece->bytes); !done) return done;
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
