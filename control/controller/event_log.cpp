#include "control/controller/event_log.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>

#include "model/counted.hpp"

namespace dpm::control {

std::string clock_text(std::uint64_t time_ns) {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000, kNsPerUs = 1000;
  const auto seconds = static_cast<std::time_t>(time_ns / kNsPerSecond);
  std::tm local = {};
  ::localtime_r(&seconds, &local);
  return fmt::format("{:%H:%M:%S}.{:06}", local, time_ns % kNsPerSecond / kNsPerUs);
}

Outcome EventLog::perform(const Words& words) {
  const std::string file = words.size() > 1 ? words[1] : "";
  if (words[0] == "erase" && !file.empty()) return erase(file);
  if (words[0] == "on" || words[0] == "off") {
    if (!file.empty()) return words[0] == "on" ? on(file) : off(file);
    is_on_screen_ = words[0] == "on";
    console_.say(is_on_screen_ ? "events are shown" : "events are not shown; those made of others are");
    return Outcome::done;
  }
  return console_.fail("log: 'log on', 'log off', 'log on FILE', 'log off FILE' or 'log erase FILE'");
}

Outcome EventLog::on(const std::string& file) {
  if (files_.contains(file)) return console_.fail(fmt::format("log: events are saved to '{}' already", file));
  auto opened = SinkFile::open(file);
  if (!opened) return console_.fail("log: " + opened.error().what);
  files_.emplace(file, *std::move(opened));
  written_[file] = true;
  console_.say(fmt::format("events are saved to the end of '{}'", file));
  return Outcome::done;
}

Outcome EventLog::off(const std::string& file) {
  if (files_.erase(file) == 0) return console_.fail(fmt::format("log: no events are saved to '{}'", file));
  console_.say(fmt::format("events are no longer saved to '{}'", file));
  return Outcome::done;
}

// Any other file may be the only copy of something.
Outcome EventLog::erase(const std::string& file) {
  if (!written_.contains(file))
    return console_.fail(fmt::format("log: '{}' was not written by this session; nothing is erased", file));
  std::error_code failed;
  std::filesystem::resize_file(file, 0, failed);
  if (failed) return console_.fail(fmt::format("log: erase '{}': {}", file, failed.message()));
  console_.say(fmt::format("'{}' is erased", file));
  return Outcome::done;
}

void EventLog::event(std::uint64_t time_ns, const std::string& machine, const std::string& text, bool is_high_level) {
  const std::string lines = fmt::format("{} {} {}", clock_text(time_ns), machine, text);
  write(lines);
  if (is_on_screen_ || is_high_level) show(lines);
}

void EventLog::warning(const std::string& machine, const std::string& text) {
  show(fmt::format("  EVENTS: machine {}: {}", machine, text));
}

void EventLog::write(const std::string& lines) {
  for (auto at = files_.begin(); at != files_.end();) {
    const auto written = at->second.write(lines + '\n');
    if (!written) {
      show(fmt::format("  EVENTS: they are no longer saved to '{}': {}", at->first, written.error().what));
      at = files_.erase(at);
    } else {
      ++at;
    }
  }
}

// False: events have no terminal of their own, or it has gone.
bool EventLog::show_there(const std::string& lines) {
  if (!terminal_) return false;
  const auto shown = terminal_->show(lines_of(lines));
  if (shown) return true;
  terminal_.reset();
  reports_.show_later(fmt::format("  EVENTS: they are shown here from now on: {}", shown.error().what));
  return false;
}

void EventLog::show(const std::string& lines) {
  if (show_there(lines)) return;
  if (not_shown_ != 0 &&
      reports_.show_later(fmt::format("  CUT: {} not shown; 'log on FILE' keeps all",
                                      not_shown_ == 1 ? "1 event is" : std::to_string(not_shown_) + " events are")))
    not_shown_ = 0;
  if (not_shown_ != 0 || !reports_.show_later(lines)) ++not_shown_;
}

}  // namespace dpm::control
