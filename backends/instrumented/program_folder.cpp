#include "backends/instrumented/program_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <dpm/monitor/shared_folder.hpp>
#include <memory>
#include <utility>

namespace dpm {
namespace {

// "PID-START"; 0 for another name.
std::uint64_t start_of(const std::string& name) {
  const std::size_t dash = name.find('-');
  std::uint64_t start = 0;
  if (dash == std::string::npos || name.find_first_not_of("0123456789") != dash) return 0;
  const auto [end, wrong] = std::from_chars(name.data() + dash + 1, name.data() + name.size(), start, 16);
  return wrong == std::errc() && end == name.data() + name.size() ? start : 0;
}

std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (again < 0) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(again), ::closedir);
  if (entries == nullptr) return names;
  while (const dirent* entry = ::readdir(entries.get()))
    if (start_of(entry->d_name) != 0) names.emplace_back(entry->d_name);
  std::ranges::sort(names, {}, start_of);
  return names;
}

// Of a program that was killed while it made its file.
bool is_abandoned(int folder, const std::string& name) {
  const UniqueFd file(::openat(folder, name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file || monitor::is_locked(file.get())) return false;
  pid_t pid = 0;
  std::from_chars(name.data(), name.data() + name.find('-'), pid);
  return pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
}

}  // namespace

Result<ProgramFolder> ProgramFolder::take() {
  ProgramFolder taken;
  char path[monitor::kFolderBytes];
  monitor::put_folder_path(path);
  taken.path_ = path;
  if (::mkdir(taken.path_.c_str(), 0700) != 0 && errno != EEXIST)
    return Error::from_errno("make the folder " + taken.path_);
  taken.folder_.reset(::open(taken.path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!taken.folder_) return Error::from_errno("open the folder " + taken.path_);
  if (!monitor::is_ours_alone(taken.folder_.get()))
    return Error{fmt::format("the folder {} is not yours alone, so programs do not use it; remove it", taken.path_)};
  taken.watcher_.reset(
      ::openat(taken.folder_.get(), "watcher", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!taken.watcher_) return Error::from_errno("open " + taken.path_ + "/watcher");
  if (!monitor::take_lock(taken.watcher_.get()))
    return Error{"another monitor already watches the programs of this account: stop it first"};
  taken.bell_.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!taken.bell_ ||
      ::inotify_add_watch(taken.bell_.get(), taken.path_.c_str(), IN_CREATE | IN_ATTRIB | IN_ONLYDIR) < 0)
    return Error::from_errno("watch the folder " + taken.path_);
  return taken;
}

std::vector<ProgramFolder::Found> ProgramFolder::take_new(std::vector<std::string>& complaints) {
  std::array<char, 4096> rings;  // that it rang is enough
  while (::read(bell_.get(), rings.data(), rings.size()) > 0) is_to_be_listed_ = true;
  std::vector<Found> found;
  if (!std::exchange(is_to_be_listed_, false)) return found;
  for (std::string& name : names_in(folder_.get())) {
    if (known_.contains(name)) continue;
    auto program = InstrumentedProgram::open(folder_.get(), name);
    if (program && !*program) {  // it is being made
      if (is_abandoned(folder_.get(), name))
        remove(name);
      else
        is_to_be_listed_ = true;
      continue;
    }
    known_.insert(name);
    if (program)
      found.push_back({name, std::move(**program)});
    else
      complaints.push_back(program.error().what);
  }
  return found;
}

void ProgramFolder::remove(const std::string& file_name) const { ::unlinkat(folder_.get(), file_name.c_str(), 0); }

}  // namespace dpm
