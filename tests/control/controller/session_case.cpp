#include "tests/control/controller/session_case.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <thread>

#include "control/controller/controller.hpp"
#include "control/controller/process_output.hpp"
#include "filter/event_filter.hpp"
#include "model/check.hpp"
#include "tests/control/controller/fake_machines.hpp"
#include "tests/control/controller/scratch_folder.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_writer.hpp"

namespace dpm::control::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrompt = "<Control>";

class Transcript : public Screen {
 public:
  void show(std::string_view line) { put(line); }
  const std::string& text() const { return text_; }

 private:
  void put(std::string_view text) override { text_ += std::string(text) + "\n"; }

  std::string text_;
};

ProcessState state_from(const std::string& word) {
  static const std::map<std::string, ProcessState> states = {{"new", ProcessState::fresh},
                                                             {"acquired", ProcessState::acquired},
                                                             {"running", ProcessState::running},
                                                             {"stopped", ProcessState::stopped},
                                                             {"killed", ProcessState::killed}};
  return states.at(word);
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

class Session {
 public:
  Session() {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
  }

  std::string perform(const std::string& text) {
    std::istringstream lines(text);
    bool has_begun = false;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(kPrompt)) {
        transcript_.show(line);
        line.erase(0, kPrompt.size());
        end_with(controller_.perform(line));
        controller_.show_reports();
        show_asked();
        has_begun = true;
      } else if (line.starts_with("% ")) {
        transcript_.show(line);
        std::istringstream words(line.substr(2));
        direct(words);
        has_begun = true;
      } else if (!has_begun) {
        transcript_.show(line);
      }
    }
    return replace_all(transcript_.text(), folder_.path(), "HERE");
  }

 private:
  static std::string word(std::istringstream& words) {
    std::string text;
    words >> text;
    return text;
  }
  // The rest of the line, with \n and \e for the characters.
  static std::string rest(std::istringstream& words) {
    std::string text;
    std::getline(words >> std::ws, text);
    return replace_all(replace_all(text, "\\n", "\n"), "\\e", "\x1b");
  }
  static std::uint32_t pid(std::istringstream& words) { return static_cast<std::uint32_t>(std::stoul(word(words))); }

  static MachineReport read_report(std::istringstream& words) {
    const std::string kind = word(words), machine = word(words);
    if (kind == "state") {
      const auto id = pid(words);
      const auto state = state_from(word(words));
      return {machine, StateChanged{id, state, rest(words)}};
    }
    if (kind == "unmetered") {
      const auto id = pid(words);
      const auto state = state_from(word(words));
      return {machine, StateChanged{id, state, rest(words), true}};
    }
    if (kind == "output") {
      const auto id = pid(words);
      return {machine, control::Output{.pid = id, .bytes = rest(words)}};
    }
    if (kind == "dropped") {
      const auto id = pid(words);
      return {machine, control::Output{.pid = id, .dropped_bytes = pid(words)}};
    }
    if (kind == "filter-ended") {
      const auto id = pid(words);
      return {machine, FilterEnded{id, rest(words)}};
    }
    if (kind == "delivery") {  // PID JOB|- NAME FILTER WAITING LOST FILE|- PROBLEM
      DeliveryChanged changed;
      changed.pid = pid(words);
      changed.job = word(words);
      if (changed.job == "-") changed.job.clear();  // of a filter
      changed.name = word(words);
      changed.filter = word(words);
      changed.delivery.waiting = pid(words);
      changed.delivery.lost = pid(words);
      changed.delivery.file = word(words);
      if (changed.delivery.file == "-") changed.delivery.file.clear();
      changed.delivery.problem = rest(words);
      return {machine, changed};
    }
    if (kind == "event" || kind == "high-level") {  // TIME_NS PID VALUE TEXT, which begins with its name
      EventSeen seen;
      seen.is_high_level = kind == "high-level";
      seen.time_ns = std::stoull(word(words));
      seen.pid = pid(words);
      seen.value = std::stoull(word(words));
      seen.text = rest(words);
      seen.event = seen.text.substr(0, seen.text.find_first_of(" :"));
      return {machine, EventsSeen{{seen}, {}, 0}};
    }
    if (kind == "events-lost") {
      const auto unsent = pid(words);
      return {machine, EventsSeen{{}, {rest(words)}, unsent}};
    }
    DPM_CHECK(kind == "lost");
    return {machine, MachineLost{rest(words)}};
  }

  static ManagedProcess read_managed(std::istringstream& words) {
    ManagedProcess managed;
    managed.kind = word(words) == "filter" ? ManagedProcess::Kind::filter : ManagedProcess::Kind::process;
    managed.pid = pid(words);
    managed.name = word(words);
    managed.job = word(words);
    managed.state = state_from(word(words));
    managed.filter.filter = word(words);
    managed.filter.id = word(words);
    managed.filter.secret = std::string(64, 'b');
    managed.controller = word(words);
    managed.attended = word(words) == "attended";
    managed.flags =
        managed.kind == ManagedProcess::Kind::filter ? MeterFlags{} : apply_flags({}, "send,receive").value();
    return managed;
  }

  static KeptFile read_kept(std::istringstream& words) {
    KeptFile kept;
    kept.kind = word(words) == "log" ? KeptFile::Kind::log : KeptFile::Kind::copy;
    kept.name = word(words);
    kept.size_bytes = std::stoull(word(words));
    kept.age_s = std::stoull(word(words));
    kept.used_by = rest(words);
    return kept;
  }

  // Every direction there is. Files and logs take the rest of the line as their text.
  void direct(std::istringstream& words) {
    const std::string verb = word(words);
    if (verb == "pid") {
      const auto machine = word(words);
      machines_.next_pid(machine, pid(words));
    } else if (verb == "address") {
      const auto machine = word(words);
      machines_.have_address(machine, word(words));
    } else if (verb == "name") {
      machines_.next_name(word(words));
    } else if (verb == "source") {
      machines_.meter_with(rest(words));
    } else if (verb == "warn") {
      machines_.warn(rest(words));
    } else if (verb == "refuse") {
      const auto machine = word(words), kind = word(words);
      machines_.refuse(machine, kind, replace_all(rest(words), "HERE", folder_.path()));
    } else if (verb == "cut-off") {
      const auto machine = word(words);
      machines_.cut_off(machine, rest(words));
    } else if (verb == "no-key") {  // its own name is not one that it may have
      const auto machine = word(words);
      machines_.have_own_name(machine, Error{rest(words)});
    } else if (verb == "names") {
      const auto first = word(words);
      machines_.name(first, word(words));
    } else if (verb == "reach") {
      machines_.reach(word(words));
    } else if (verb == "report") {
      machines_.report(read_report(words));
      controller_.show_reports();
    } else if (verb == "soon") {  // during the next command
      machines_.report(read_report(words));
    } else if (verb == "later") {  // while something waits
      machines_.report_later(read_report(words));
    } else if (verb == "found" || verb == "restarted") {
      const auto machine = word(words);
      machines_.report({machine, MachineFound{machines_.managed(machine), verb == "restarted"}});
      controller_.show_reports();
    } else if (verb == "managed") {
      const auto machine = word(words);
      machines_.leave_managed(machine, read_managed(words));
    } else if (verb == "interrupt") {
      machines_.interrupt();
    } else if (verb == "meanwhile") {  // what a moment of waiting for the next command brings
      constexpr int kLooks = 100;
      for (int i = 0; i < kLooks; ++i) controller_.show_reports();
    } else if (verb == "no-page") {
      page_problem_ = rest(words);
    } else if (verb == "page-ends") {
      has_page_ended_ = true;
    } else if (verb == "trace") {
      write_trace(word(words));
    } else if (verb == "log-folder") {
      machines_.have_log_folder(word(words));
    } else if (verb == "pause") {  // nothing comes for a moment
      std::this_thread::sleep_for(ProcessOutput::kShownAfter);
      controller_.flush_late_output();
      controller_.show_reports();
    } else if (verb == "program" || verb == "file") {
      const auto name = word(words);
      std::ofstream(name) << rest(words);
      chmod(name.c_str(), verb == "program" ? 0755 : 0644);
    } else if (verb == "folder") {
      fs::create_directory(word(words));
    } else if (verb == "there") {
      const auto machine = word(words), path = word(words);
      machines_.have_file(machine, replace_all(path, "HERE", folder_.path()), rest(words));
    } else if (verb == "log") {
      const auto file = word(words);
      machines_.have_log(file, rest(words));
    } else if (verb == "kept") {
      const auto machine = word(words);
      machines_.keep(machine, read_kept(words));
    } else if (verb == "end-filter") {
      machines_.end_filter(rest(words));
    } else if (verb == "lose-log") {
      machines_.lose_log(word(words));
    } else if (verb == "show") {
      show_file(word(words));
    } else if (verb == "list") {
      show_folder();
    } else if (verb == "asked") {  // from now on
      machines_.take_asked();
      shows_asked_ = true;
    } else if (verb == "time") {
      now_ns_ = std::stoll(word(words));
      controller_.show_reports();
    } else if (verb == "end-of-typing") {
      end_with(controller_.end_of_typing());
    } else if (verb == "end-of-script") {
      end_with(controller_.end_of_script("script"));
    } else {
      transcript_.show("no direction '" + verb + "'");
    }
    if (verb != "asked") show_asked();
  }

  class Page : public LivePage {
   public:
    Page(Session& session, std::string title) : session_(session), title_(std::move(title)) {}
    ~Page() override { session_.transcript_.show("(the page of " + title_ + " ends)"); }
    std::string address() const override { return "http://page/"; }
    bool has_ended() override { return session_.has_page_ended_; }

   private:
    Session& session_;
    std::string title_;
  };

  // A place in the scratch folder has another name in each run.
  Result<std::unique_ptr<LivePage>> show_page(const std::string& directory, const std::string& title) {
    if (!page_problem_.empty()) return Error{std::exchange(page_problem_, {})};
    has_page_ended_ = false;
    const bool is_copy = directory.find("dpm-watch-") != std::string::npos;
    transcript_.show("(page of " + title + ": " + (is_copy ? "a copy" : directory) + ")");
    return std::unique_ptr<LivePage>(std::make_unique<Page>(*this, title));
  }

  // "process machine process machine".
  static Result<std::map<std::string, std::string>> read_places(const std::string& path) {
    std::ifstream file(path);
    if (!file) return Error{path + ": no such file"};
    std::map<std::string, std::string> places;
    for (std::string process, machine; file >> process >> machine;) places[process] = machine;
    return places;
  }

  // Of a filter that has seen nothing so far.
  static void write_trace(const std::string& log) {
    fs::create_directories(log);
    const std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
    const TraceInfo info;
    const auto made = TraceWriter::create(log + "/trace", describe_events({"filter"}, rules));
    DPM_CHECK(made.has_value());
    (*made)->on_begin(info);
  }

  void end_with(Outcome outcome) {
    if (outcome == Outcome::failed) transcript_.show("(failed)");
    if (outcome == Outcome::left) transcript_.show("(left)");
  }
  void show_asked() {
    if (!shows_asked_) return;
    for (const auto& question : machines_.take_asked()) transcript_.show("  -> " + question);
  }
  void show_file(const std::string& name) {
    std::ifstream file(name);
    if (!file) transcript_.show("| (there is no " + name + ")");
    for (std::string line; std::getline(file, line);) transcript_.show("| " + line);
  }
  void show_folder() {
    std::map<std::string, bool> names;
    for (const auto& entry : fs::recursive_directory_iterator("."))
      names[entry.path().lexically_relative(".")] = entry.is_directory();
    for (const auto& [name, is_folder] : names) transcript_.show("| " + name + (is_folder ? "/" : ""));
  }

  ScratchFolder folder_;
  Transcript transcript_;
  FakeMachines machines_;
  std::string page_problem_;
  bool has_page_ended_ = false;
  Controller controller_{machines_,
                         transcript_,
                         KnownMachines("known-machines"),
                         "",
                         WatchSettings{.show = [this](const std::string& directory,
                                                      const std::string& title) { return show_page(directory, title); },
                                       .scratch = folder_.path(),
                                       .every = {},
                                       .patience = std::chrono::milliseconds(20)},
                         EventSettings{.run_ps = [](const Words& words) -> Result<Lines> {
                                         Lines lines{"PID CMD"};
                                         for (const std::string& each : words) lines.push_back(each);
                                         return lines;
                                       },
                                       .now_ns = [this] { return now_ns_; }},
                         read_places};
  std::int64_t now_ns_ = 0;
  bool shows_asked_ = false;
};

}  // namespace

std::string perform_session(const std::string& text) { return Session().perform(text); }

}  // namespace dpm::control::test
