#include "sampling/proc/selection.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "os/read_file.hpp"
#include "os/unique_fd.hpp"
#include "sampling/states/descriptor_kind.hpp"

namespace dpm::sampling {
namespace {

constexpr std::string_view kHowToSelect =
    "--of takes: pid N,N; terminals [pts/N,...]; session [N]; user NAME; cgroup PATH; trace OUT";

std::optional<std::uint32_t> number_of(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

std::optional<StatLine> stat_of(std::uint32_t pid) { return read_stat(read_file(fmt::format("/proc/{}/stat", pid))); }

std::string user_name(std::uint32_t user) {
  const passwd* entry = ::getpwuid(user);
  return entry == nullptr ? std::to_string(user) : entry->pw_name;
}

// The real user, which owns the process, as S4 4.3 wants it and could not have it.
std::optional<std::uint32_t> user_of(std::uint32_t pid) {
  std::istringstream status(read_file(fmt::format("/proc/{}/status", pid)));
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("Uid:", 0) != 0) continue;
    std::istringstream words(line.substr(4));
    std::uint32_t user = 0;
    if (words >> user) return user;
  }
  return std::nullopt;
}

// "" if we may look into the process.
std::string why_not(std::uint32_t pid) {
  const std::string path = fmt::format("/proc/{}/syscall", pid);
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char byte = 0;
  if (file && ::pread(file.get(), &byte, 1, 0) >= 0) return "";
  if (errno != EACCES && errno != EPERM)
    return fmt::format("process {} does not exist (it may have ended; 'ps -e' lists those that run)", pid);
  const auto user = user_of(pid);
  return fmt::format(
      "process {} of user {} may not be inspected: dpm must run as that user or as root, in the same container", pid,
      user ? user_name(*user) : "unknown");
}

Result<std::vector<std::uint32_t>> read_pids(const std::string& text) {
  std::vector<std::uint32_t> pids;
  std::istringstream list(text);
  for (std::string word; std::getline(list, word, ',');) {
    const auto pid = number_of(word);
    if (!pid) return Error{fmt::format("'{}' is not a process id", word)};
    if (const std::string reason = why_not(*pid); !reason.empty()) return Error{reason};
    if (std::find(pids.begin(), pids.end(), *pid) == pids.end()) pids.push_back(*pid);
  }
  if (pids.empty()) return Error{"--of pid: write process ids, as in 12,13 ('ps -e' lists them)"};
  return pids;
}

Result<Selection> select_session(const std::vector<std::string>& words) {
  Selection selection{.kind = Selection::Kind::session, .text = "session"};
  if (words.size() == 1) {
    selection.number = static_cast<std::uint32_t>(::getsid(0));
  } else {
    const auto session = number_of(words[1]);
    if (!session) return Error{fmt::format("'{}' is not the number of a session", words[1])};
    selection.number = *session;
  }
  selection.text = fmt::format("session {}", selection.number);
  for (const std::uint32_t pid : candidates(selection)) {
    const auto stat = stat_of(pid);
    if (!stat || !is_selected(selection, pid, *stat, false)) continue;
    if (const std::string reason = why_not(pid); !reason.empty()) continue;
    return selection;
  }
  return Error{fmt::format("session {} has no process that this account may inspect ('ps -eo sid,pid,comm' lists them)",
                           selection.number)};
}

// The number of a device as the kernel writes it into /proc/PID/stat.
std::uint32_t terminal_number(dev_t device) {
  const std::uint32_t low = minor(device);
  return (low & 0xff) | (major(device) << 8) | ((low & ~0xffU) << 12);
}

Result<Selection> select_terminals(const std::string& names) {
  Selection selection{.kind = Selection::Kind::terminals, .text = "terminals " + names};
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');) {
    const std::string path = name.starts_with("/") ? name : "/dev/" + name;
    struct stat found = {};
    if (::stat(path.c_str(), &found) != 0 ||
        kind_of_type(found.st_mode, major(found.st_rdev)) != DescriptorKind::terminal)
      return Error{
          fmt::format("--of terminals {}: '{}' is not a terminal ('ps -eo tty,pid,comm' lists them)", names, name)};
    selection.terminals.push_back(terminal_number(found.st_rdev));
  }
  if (selection.terminals.empty()) return Error{"--of terminals: write names, as in pts/3,pts/4"};
  return selection;
}

Result<Selection> select_user(const std::string& name) {
  const passwd* entry = ::getpwnam(name.c_str());
  std::optional<std::uint32_t> user = number_of(name);
  if (entry != nullptr) user = entry->pw_uid;
  if (!user) return Error{fmt::format("user '{}' does not exist", name)};
  Selection selection{.kind = Selection::Kind::user, .number = *user, .text = "user " + name};
  std::string reason = fmt::format("user '{}' has no process", name);
  for (const std::uint32_t pid : candidates(selection)) {
    if (user_of(pid) != user) continue;
    reason = why_not(pid);
    if (reason.empty()) return selection;
  }
  return Error{reason};
}

// "PATH" may be a folder of /sys/fs/cgroup, or a path as /proc/PID/cgroup has it.
Result<Selection> select_cgroup(const std::string& path) {
  for (const std::string& folder : {path, "/sys/fs/cgroup" + (path.starts_with("/") ? path : "/" + path),
                                    "/sys/fs/cgroup/unified" + (path.starts_with("/") ? path : "/" + path)}) {
    std::error_code none;
    if (std::filesystem::exists(folder + "/cgroup.procs", none))
      return Selection{.kind = Selection::Kind::cgroup, .cgroup_folder = folder, .text = "cgroup " + path};
  }
  return Error{
      fmt::format("cgroup '{}' does not exist (neither that folder nor one of /sys/fs/cgroup has cgroup.procs)", path)};
}

std::vector<std::uint32_t> numbers_in_proc() {
  std::vector<std::uint32_t> numbers;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return numbers;
  while (const dirent* entry = ::readdir(folder)) {
    if (const auto number = number_of(entry->d_name)) numbers.push_back(*number);
  }
  ::closedir(folder);
  return numbers;
}

std::vector<std::uint32_t> processes_of_cgroup(const std::string& folder) {
  std::vector<std::uint32_t> numbers;
  const auto add = [&](const std::string& path) {
    std::istringstream list(read_file(path + "/cgroup.procs"));
    for (std::uint32_t pid = 0; list >> pid;) numbers.push_back(pid);
  };
  add(folder);
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->is_directory(error)) add(entry->path().string());
  return numbers;
}

std::vector<std::uint64_t> starts_of(const std::vector<std::uint32_t>& pids) {
  std::vector<std::uint64_t> starts;
  for (const std::uint32_t pid : pids) {
    const auto stat = stat_of(pid);
    starts.push_back(stat ? stat->start_ticks : 0);  // 0: it has just ended, and nothing is it any more
  }
  return starts;
}

// Whether the selection has this number, and the number is still that of the same process.
bool names(const Selection& selection, std::uint32_t pid, const StatLine& stat) {
  const auto named = std::find(selection.pids.begin(), selection.pids.end(), pid);
  if (named == selection.pids.end()) return false;
  const auto place = static_cast<std::size_t>(named - selection.pids.begin());
  return place >= selection.start_ticks.size() || selection.start_ticks[place] == stat.start_ticks;
}

}  // namespace

Result<Selection> read_selection(const std::vector<std::string>& words) {
  if (words.empty()) return Error{std::string(kHowToSelect)};
  const std::string& kind = words.front();
  if (kind == "terminals" && words.size() == 1) return Selection{.kind = Selection::Kind::terminals, .text = kind};
  if (kind == "session" && words.size() <= 2) return select_session(words);
  if (words.size() != 2) return Error{fmt::format("--of {}: {}", fmt::join(words, " "), kHowToSelect)};
  if (kind == "terminals") return select_terminals(words[1]);
  if (kind == "user") return select_user(words[1]);
  if (kind == "cgroup") return select_cgroup(words[1]);
  if (kind != "pid") return Error{fmt::format("--of {}: {}", kind, kHowToSelect)};
  auto pids = read_pids(words[1]);
  if (!pids) return pids.error();
  return Selection{
      .kind = Selection::Kind::processes, .pids = *pids, .start_ticks = starts_of(*pids), .text = "pid " + words[1]};
}

Result<Selection> select_tree(std::vector<std::uint32_t> pids, std::string text) {
  for (const std::uint32_t pid : pids)
    if (const std::string reason = why_not(pid); !reason.empty()) return Error{reason};
  std::vector<std::uint64_t> starts = starts_of(pids);
  return Selection{.kind = Selection::Kind::tree,
                   .pids = std::move(pids),
                   .start_ticks = std::move(starts),
                   .text = std::move(text)};
}

std::vector<std::uint32_t> candidates(const Selection& selection) {
  if (selection.kind == Selection::Kind::processes) return selection.pids;
  if (selection.kind == Selection::Kind::cgroup) return processes_of_cgroup(selection.cgroup_folder);
  return numbers_in_proc();
}

bool is_selected(const Selection& selection, std::uint32_t pid, const StatLine& stat, bool parent_is_selected) {
  const bool is_named = names(selection, pid, stat);
  if (stat.in_kernel && !is_named) return false;
  switch (selection.kind) {
    case Selection::Kind::processes:
      return is_named;
    case Selection::Kind::tree:
      return is_named || parent_is_selected;
    case Selection::Kind::terminals:
      if (selection.terminals.empty()) return stat.terminal != 0;
      return std::find(selection.terminals.begin(), selection.terminals.end(), stat.terminal) !=
             selection.terminals.end();
    case Selection::Kind::session:
      return stat.session == selection.number;
    case Selection::Kind::user:
      return user_of(pid) == selection.number;
    case Selection::Kind::cgroup:
      return true;
  }
  return false;
}

std::uint32_t virtual_process_of(const Selection& selection, const StatLine& stat) {
  return selection.kind == Selection::Kind::terminals ? stat.terminal : 0;
}

bool is_in_foreground(const StatLine& stat) {
  return stat.terminal != 0 && stat.foreground_group > 0 &&
         stat.group == static_cast<std::uint32_t>(stat.foreground_group);
}

}  // namespace dpm::sampling
