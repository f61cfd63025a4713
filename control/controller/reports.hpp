// Shows what machines report: changed states, output of processes, machines that are lost and found.
//
// Records change when a report is taken. What it shows waits in the backlog and is shown in small parts, so that the user's
// commands are served in between, however much processes print and however slow the terminal is.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "control/controller/backlog.hpp"
#include "control/controller/computation.hpp"
#include "control/controller/console.hpp"
#include "control/controller/machines.hpp"

namespace dpm::control {

class Reports {
 public:
  Reports(Machines& machines, Console& console, Computation& computation);
  ~Reports();
  Reports(const Reports&) = delete;
  Reports& operator=(const Reports&) = delete;

  // Takes the reports, unless too much waits to be shown, and shows a part of what waits. Output without a newline waits
  // for flush() or flush_late().
  void show();
  // The same; but takes all reports that are there, for a command that depends on them.
  void catch_up();
  // Shows everything that has been taken, until the user interrupts.
  void show_all();

  void flush();
  // The output that has waited for its newline for a moment.
  void flush_late();
  // How long the user's next command may be waited for, before there is something to show: show() and flush_late().
  std::chrono::milliseconds patience() const;
  bool is_behind() const { return !backlog_.empty(); }

  // Lines that are shown after what waits already; false if too much waits.
  bool show_later(const std::string& lines);
  // Gets what event monitors report.
  using EventsHandler = std::function<void(const std::string& machine, const EventsSeen& seen)>;
  void on_events(EventsHandler handler) { on_events_ = std::move(handler); }
  // Called when reports have been taken, and questions may be asked.
  void on_taken(std::function<void()> then) { on_taken_ = std::move(then); }

 private:
  void take(const std::string& machine, const StateChanged& report);
  void take(const std::string& machine, const Output& report);
  void take(const std::string& machine, const FilterEnded& report);
  void take(const std::string& machine, const DeliveryChanged& report);
  void take(const std::string& machine, const EventsSeen& report);
  void take(const std::string& machine, const MachineLost& report);
  void take(const std::string& machine, const MachineFound& report);
  void take(const std::string&, const Notice& notice) { tell(notice.text); }
  void take(const Job& job, ProcessRecord& process, const StateChanged& report);
  void show_end(const Job& job, ProcessRecord& process, const std::string& reason);
  void show_end(FilterRecord& filter, const std::string& reason);
  void show_output(const Job& job, const ProcessRecord& process, const ProcessOutput::Shown& shown);
  void show_part();
  void tell(const std::string& line);

  Machines& machines_;
  Console& console_;
  Computation& computation_;
  Backlog backlog_;
  EventsHandler on_events_;
  std::function<void()> on_taken_;
};

}  // namespace dpm::control
