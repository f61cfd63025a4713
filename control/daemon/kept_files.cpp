#include "control/daemon/kept_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "os/kernel/process_files.hpp"
#include "os/user_paths.hpp"
#include "trace/recording_lock.hpp"

namespace dpm {
namespace {

using namespace control;
namespace fs = std::filesystem;

constexpr std::size_t kListedMax = 2000;  // what fits into one message

std::string folder_of(KeptFile::Kind kind) {
  return kind == KeptFile::Kind::log ? state_folder() + "/logs" : expand_path("~/.cache/dpm/files");
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    entries.push_back(at->path());
  return entries;
}

// The file, or all files of the folder; symbolic links lead nowhere.
void measure(const fs::path& path, KeptFile& kept, std::int64_t& changed_s) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  changed_s = std::max<std::int64_t>(changed_s, status.st_mtime);
  if (S_ISREG(status.st_mode)) kept.size_bytes += static_cast<std::uint64_t>(status.st_size);
  if (!S_ISDIR(status.st_mode)) return;
  for (const auto& entry : entries_of(path)) measure(entry, kept, changed_s);
}

// Copies that a process runs or has as an argument, and its pid. A script is an argument of its interpreter.
std::map<std::string, std::uint32_t> used_copies() {
  std::map<std::string, std::uint32_t> used;
  const std::string folder = folder_of(KeptFile::Kind::copy) + "/";
  for (const auto& entry : entries_of("/proc")) {
    const std::string number = entry.filename();
    if (number.find_first_not_of("0123456789") != std::string::npos || number.size() > 9) continue;
    const auto pid = static_cast<std::uint32_t>(std::stoul(number));
    if (auto path = read_program_path(pid); path.starts_with(folder)) used.emplace(std::move(path), pid);
    std::ifstream command(fmt::format("/proc/{}/cmdline", pid));
    for (std::string word; std::getline(command, word, '\0');)
      if (word.starts_with(folder)) used.emplace(word, pid);
  }
  return used;
}

std::string user_of_log(const fs::path& path, const std::vector<ManagedProcess>& managed) {
  for (const auto& one : managed)
    if (one.kind == ManagedProcess::Kind::filter && one.log == path)
      return fmt::format("filter '{}'{}", one.name, one.state == ProcessState::killed ? ", which has ended" : "");
  return is_being_recorded(path) ? "a filter of another daemon" : "";
}

KeptFile described(KeptFile::Kind kind, const fs::path& path) {
  KeptFile kept{.kind = kind, .name = path.lexically_relative(folder_of(kind))};
  std::int64_t changed_s = 0;
  measure(path, kept, changed_s);
  kept.age_s = static_cast<std::uint64_t>(std::max<std::int64_t>(std::time(nullptr) - changed_s, 0));
  return kept;
}

// A log is one folder; a copy is a file in the folder of its content.
bool is_name_of(KeptFile::Kind kind, const std::string& name) {
  const fs::path path(name);
  const auto parts = std::distance(path.begin(), path.end());
  return parts == (kind == KeptFile::Kind::log ? 1 : 2) &&
         std::all_of(path.begin(), path.end(), [](const fs::path& part) {
           return !part.empty() && part != "." && part != ".." && !part.is_absolute();
         });
}

}  // namespace

KeptFiles list_kept_files(const std::vector<ManagedProcess>& managed) {
  KeptFiles kept;
  for (const auto& path : entries_of(folder_of(KeptFile::Kind::log))) {
    kept.files.push_back(described(KeptFile::Kind::log, path));
    kept.files.back().used_by = user_of_log(path, managed);
  }
  const auto used = used_copies();
  for (const auto& content : entries_of(folder_of(KeptFile::Kind::copy))) {
    for (const auto& path : entries_of(content)) {
      kept.files.push_back(described(KeptFile::Kind::copy, path));
      if (const auto user = used.find(path); user != used.end())
        kept.files.back().used_by = fmt::format("process {}", user->second);
    }
  }
  std::sort(kept.files.begin(), kept.files.end(), [](const KeptFile& a, const KeptFile& b) {
    return std::pair(b.age_s, a.name) < std::pair(a.age_s, b.name);
  });
  if (kept.files.size() <= kListedMax) return kept;
  kept.unlisted = kept.files.size() - kListedMax;
  kept.files.resize(kListedMax);
  return kept;
}

Result<std::string> kept_log(const std::string& name) {
  const fs::path path = fs::path(folder_of(KeptFile::Kind::log)) / name;
  std::error_code failed;
  const auto type = fs::symlink_status(path, failed).type();
  if (!is_name_of(KeptFile::Kind::log, name) || (type != fs::file_type::directory && type != fs::file_type::regular))
    return Error{fmt::format("no log '{}' is kept here", name)};
  return path.string();
}

Result<void> remove_kept_file(const RemoveKept& request, const std::vector<ManagedProcess>& managed) {
  const fs::path path = fs::path(folder_of(request.kind)) / request.name;
  std::error_code failed;
  if (!is_name_of(request.kind, request.name) || fs::symlink_status(path, failed).type() == fs::file_type::not_found)
    return Error{fmt::format("there is no '{}' to remove", request.name)};
  std::string user;
  if (request.kind == KeptFile::Kind::log) {
    user = user_of_log(path, managed);
  } else if (const auto used = used_copies(); used.contains(path)) {
    user = fmt::format("process {}", used.at(path));
  }
  if (!user.empty()) return Error{fmt::format("'{}' is used by {}", request.name, user)};
  fs::remove_all(path, failed);
  if (failed) return Error{fmt::format("remove '{}': {}", path.string(), failed.message())};
  if (request.kind == KeptFile::Kind::copy) fs::remove(path.parent_path(), failed);  // of its content alone: now empty
  return {};
}

}  // namespace dpm
