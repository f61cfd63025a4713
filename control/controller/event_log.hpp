// Where the events that machines report are shown: on the screen, which is the console's or one of their own, and in files (S3 A.2.5).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "control/controller/console.hpp"
#include "control/controller/event_terminal.hpp"
#include "control/controller/reports.hpp"

namespace dpm::control {

// "12:03:04.123456", in the time zone of the user.
std::string clock_text(std::uint64_t time_ns);

class EventLog {
 public:
  EventLog(Console& console, Reports& reports, std::optional<EventTerminal> terminal)
      : console_(console), reports_(reports), terminal_(std::move(terminal)) {}

  // log on, log off, log on FILE, log off FILE, log erase FILE.
  Outcome perform(const Words& words);
  // Whether single events go anywhere. High-level events and warnings are always shown on the screen.
  bool wants_all() const { return is_on_screen_ || !files_.empty(); }

  void event(std::uint64_t time_ns, const std::string& machine, const std::string& text, bool is_high_level);
  void warning(const std::string& machine, const std::string& text);

 private:
  Outcome on(const std::string& file);
  Outcome off(const std::string& file);
  Outcome erase(const std::string& file);
  void write(const std::string& lines);
  void show(const std::string& lines);
  bool show_there(const std::string& lines);

  Console& console_;
  Reports& reports_;
  std::optional<EventTerminal> terminal_;
  bool is_on_screen_ = true;
  std::map<std::string, SinkFile> files_;
  std::map<std::string, bool> written_;  // by this session: only those are erased
  std::uint64_t not_shown_ = 0;
};

}  // namespace dpm::control
