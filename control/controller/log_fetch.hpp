// Fetches the log of a filter, piece by piece, until it is complete, the user interrupts, or the disk would get full.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "control/controller/console.hpp"
#include "control/controller/machines.hpp"
#include "control/controller/user_files.hpp"
#include "trace/undelivered.hpp"

namespace dpm::control {

// Where a log is, and whose it is, in words.
struct LogPlace {
  std::string machine, log, whose;
};

class LogFetch {
 public:
  // A log has a file for each stream, and some more.
  static constexpr std::size_t kFilesMax = 10'000;

  LogFetch(Machines& machines, Console& console) : machines_(machines), console_(console) {}

  // The log appears at the destination as a whole or not at all. A terminal shows how much of it has come.
  // `undelivered`: what has not reached the filter is not in its log; a file there lists it for the ledger.
  Result<void> fetch(const LogPlace& place, const std::string& destination,
                     const std::vector<Undelivered>& undelivered);

 private:
  using Clock = std::chrono::steady_clock;

  Result<void> fetch_as_it_is(const LogPlace& place, const std::string& destination,
                              const std::vector<Undelivered>& undelivered);
  Result<std::vector<std::string>> log_files(const LogPlace& place);
  std::string deliveries_to(const LogPlace& place);
  Result<void> fetch_files(const LogPlace& place, const std::vector<std::string>& files, const std::string& deliveries,
                           FetchedLog& log);
  using Take = std::function<Result<void>(std::string_view piece)>;
  Result<void> read_file(const LogPlace& place, const std::string& file, const Take& take);
  void show_progress(const std::string& whose);

  Machines& machines_;
  Console& console_;
  std::uint64_t fetched_bytes_ = 0;
  Clock::time_point shown_at_{};
};

}  // namespace dpm::control
