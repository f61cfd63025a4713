// The log of a filter on another machine, copied here while it grows. It asks by itself, one question at a time, whenever the
// controller waits for something else: no command waits for it, and what is asked is small where the link is slow.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "control/controller/computation.hpp"
#include "control/controller/copy_folder.hpp"
#include "control/controller/log_mirror.hpp"
#include "control/controller/machines.hpp"

namespace dpm::control {

class WatchedLog {
 public:
  // Into a new private folder below `scratch`. When the copy stands still, goes on again or cannot go on, a notice says so.
  static Result<std::unique_ptr<WatchedLog>> begin(const std::string& filter, Machines& machines,
                                                   Computation& computation, const std::filesystem::path& scratch,
                                                   std::chrono::milliseconds every);
  WatchedLog(const WatchedLog&) = delete;
  WatchedLog& operator=(const WatchedLog&) = delete;
  ~WatchedLog();

  std::filesystem::path folder() const { return folder_.trace(); }
  const LogMirror& copy() const { return mirror_; }
  const std::string& problem() const { return problem_; }  // why nothing comes at present; empty: it does
  bool is_over() const { return is_over_; }                // nothing more will come

 private:
  using Clock = std::chrono::steady_clock;

  WatchedLog(const std::string& filter, Machines& machines, Computation& computation, CopyFolder folder,
             std::chrono::milliseconds every);
  void ask(std::chrono::milliseconds delay);
  void take(Answer answer);
  Result<void> give(const ReplyBody& reply);
  void fail(const std::string& why);
  void end(const std::string& why);
  void adapt_piece(std::size_t bytes);
  std::string marked(const std::string& news) const;

  std::string filter_;
  Machines& machines_;
  Computation& computation_;
  CopyFolder folder_;
  std::chrono::milliseconds every_;
  LogMirror mirror_;
  std::uint32_t piece_bytes_;
  Clock::time_point asked_;
  std::string problem_;
  unsigned failures_ = 0;  // since the last answer
  bool is_over_ = false;
  std::shared_ptr<WatchedLog*> self_;  // what answers find us by: an answer may come after us
};

}  // namespace dpm::control
