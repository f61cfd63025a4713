// watch, which shows the log of a filter in the live page while the filter writes it, and unwatch. The page is a process of its
// own. A log on this machine is shown as it is; that of another machine is copied meanwhile (watched_log.hpp).
#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "control/controller/computation.hpp"
#include "control/controller/console.hpp"
#include "control/controller/machines.hpp"
#include "control/controller/reports.hpp"
#include "control/controller/watched_log.hpp"

namespace dpm::control {

// A page that shows a trace directory until this object is destroyed.
class LivePage {
 public:
  virtual ~LivePage() = default;
  virtual std::string address() const = 0;
  virtual bool has_ended() = 0;  // by itself
};

struct WatchSettings {
  std::function<Result<std::unique_ptr<LivePage>>(const std::string& directory, const std::string& title)>
      show;                       // null: there are no pages
  std::filesystem::path scratch;  // copies are in it; empty: the folder for temporary files
  std::chrono::milliseconds every{500};
  std::chrono::milliseconds patience{10'000};  // with a filter that has not begun its trace
};

class WatchCommand {
 public:
  WatchCommand(Machines& machines, Console& console, Computation& computation, Reports& reports, WatchSettings settings)
      : machines_(machines),
        console_(console),
        computation_(computation),
        reports_(reports),
        settings_(std::move(settings)) {}

  Outcome watch(const Words& words);
  Outcome unwatch(const std::string& filter);
  // Ends all pages, because the controller is left.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  struct Watched {
    std::string filter;
    std::unique_ptr<WatchedLog> log;  // null: the log is here
    std::unique_ptr<LivePage> page;   // ends before the copy goes
  };

  Outcome list();
  Result<void> begin(const FilterRecord& filter);
  Result<void> await_trace(const std::function<bool()>& is_there, const WatchedLog* log);
  std::string remark(const Watched& watched) const;
  Watched* find(const std::string& filter);

  Machines& machines_;
  Console& console_;
  Computation& computation_;
  Reports& reports_;
  WatchSettings settings_;
  std::deque<Watched> watched_;
};

}  // namespace dpm::control
