#include "sampling/stacks/stack_sampler.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "os/kernel/process_files.hpp"
#include "os/local_clock.hpp"

namespace dpm::sampling {
namespace {

// A CPU may have been about to write a record of that time when the rings were read.
constexpr std::uint64_t kSettled_ns = 100'000'000;
// Then they are added by function. A stack takes about 500 bytes.
constexpr std::size_t kStacksMost = 50'000;
constexpr std::size_t kOpenFilesMost = 256;

std::uint64_t now_ns() { return static_cast<std::uint64_t>(steady_clock_ns()); }

// As processes have their beginnings. The clock of records stands still while the machine sleeps.
std::uint64_t since_boot_ns(std::uint64_t record_ns) {
  timespec boot = {};
  ::clock_gettime(CLOCK_BOOTTIME, &boot);
  const auto boot_ns =
      static_cast<std::uint64_t>(boot.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(boot.tv_nsec);
  return record_ns + (boot_ns - now_ns());
}

std::string path_in(std::uint32_t pid, const std::string& path) { return fmt::format("/proc/{}/root{}", pid, path); }

}  // namespace

Result<StackSampler> StackSampler::open() {
  auto events = StackEvents::open();
  if (!events) return events.error();
  return StackSampler(*std::move(events));
}

void StackSampler::follow_command(std::uint32_t pid) { attach(pid, pid, StackEvents::Begin::at_exec); }

void StackSampler::follow(const std::vector<std::uint32_t>& pids) {
  read_records();
  if (std::exchange(lacks_mappings_, false))
    for (const std::uint32_t pid : pids)
      if (followed_.contains(pid)) add_known(pid, now_ns());
  const auto inherited = pending_beginnings();
  for (const std::uint32_t pid : pids)
    if (!followed_.contains(pid) && !inherited.contains(pid) && !left_out_.contains(pid)) {
      if (may_have_inherited(pid))
        left_out_.insert(pid);
      else
        follow_process(pid, inherited);
    }
}

// A process that is followed twice would count twice, and where records were lost that of its beginning may be among them.
bool StackSampler::may_have_inherited(std::uint32_t pid) const {
  return lost_until_ns_ > 0 && read_beginning_ns(pid, pid) <= lost_until_ns_;
}

void StackSampler::follow_process(std::uint32_t pid, const std::set<std::uint32_t>& inherited) {
  std::set<std::uint32_t> done = inherited;
  bool is_known = false;
  const std::uint64_t since_ns = now_ns();  // before the first stack
  // Until no thread is left that another one started before it was followed itself.
  for (bool found_more = true; found_more;) {
    found_more = false;
    for (const std::uint32_t tid : read_thread_ids(pid)) {
      if (followed_.contains(tid) || !done.insert(tid).second) continue;
      found_more = true;
      if (!attach(pid, tid, StackEvents::Begin::now)) continue;
      if (!is_known) add_known(pid, since_ns);
      is_known = true;
    }
    read_records();
    done.merge(pending_beginnings());
  }
}

bool StackSampler::attach(std::uint32_t pid, std::uint32_t tid, StackEvents::Begin begin) {
  const std::uint64_t since_ns = now_ns();
  switch (events_.attach(tid, begin)) {
    case StackEvents::Attached::yes:
      pending_.push_back(
          {.kind = StackRecord::Kind::began, .pid = pid, .tid = tid, .time_ns = since_ns, .parent_pid = pid});
      return true;
    case StackEvents::Attached::gone:
      return false;
    case StackEvents::Attached::refused:
    case StackEvents::Attached::no_descriptors:
      if (left_out_.insert(pid).second) ++profile_.losses().not_followed;
      return false;
  }
  return false;
}

// What the kernel does not report, because it was so before, or what it has reported in records that were lost.
void StackSampler::add_known(std::uint32_t pid, std::uint64_t since_ns) {
  pending_.push_back({.kind = StackRecord::Kind::name,
                      .pid = pid,
                      .tid = pid,
                      .time_ns = since_ns,
                      .text = read_command_name(pid, pid)});
  for (const auto& region : code_regions(pid)) {
    struct stat status = {};
    const bool is_found = ::stat(path_in(pid, region.path).c_str(), &status) == 0;
    pending_.push_back({.kind = StackRecord::Kind::mapping,
                        .pid = pid,
                        .tid = pid,
                        .time_ns = since_ns,
                        .text = region.path,
                        .start = region.start,
                        .end = region.end,
                        .file_offset = region.file_offset,
                        .inode = is_found ? status.st_ino : 0});
  }
}

std::set<std::uint32_t> StackSampler::pending_beginnings() const {
  std::set<std::uint32_t> threads;
  for (const auto& record : pending_)
    if (record.kind == StackRecord::Kind::began) threads.insert(record.tid);
  return threads;
}

void StackSampler::take() {
  const std::uint64_t began_ns = now_ns();
  read_records();
  add_before(began_ns - std::min(began_ns, kSettled_ns));
  if (profile_.counts().size() > kStacksMost) name_stacks();
}

void StackSampler::read_records() {
  const std::size_t before = pending_.size();
  profile_.losses().damaged_records += events_.read(pending_);
  for (std::size_t i = before; i < pending_.size(); ++i)
    if (pending_[i].kind == StackRecord::Kind::lost) {
      lost_until_ns_ = std::max(lost_until_ns_, since_boot_ns(pending_[i].time_ns));
      lacks_mappings_ = true;
    }
}

void StackSampler::add_before(std::uint64_t time_ns) {
  std::stable_sort(pending_.begin(), pending_.end(),
                   [](const StackRecord& a, const StackRecord& b) { return a.time_ns < b.time_ns; });
  const auto end = std::find_if(pending_.begin(), pending_.end(),
                                [&](const StackRecord& record) { return record.time_ns >= time_ns; });
  std::for_each(pending_.begin(), end, [&](const StackRecord& record) { add(record); });
  pending_.erase(pending_.begin(), end);
}

void StackSampler::add(const StackRecord& record) {
  if (record.kind == StackRecord::Kind::began) followed_.insert(record.tid);
  if (record.kind == StackRecord::Kind::ended) {
    followed_.erase(record.tid);
    if (record.pid == record.tid) left_out_.erase(record.pid);
  }
  // The thread that executes a program takes the number of the first one, which has ended.
  if (record.kind == StackRecord::Kind::name && record.is_exec) followed_.insert(record.tid);
  profile_.add(record);
  if (profile_.files().size() > open_files_.size()) keep_open(record.pid);
}

// By the path that the process knows, which may be in a container; by ours if the process is gone.
void StackSampler::keep_open(std::uint32_t pid) {
  for (std::size_t i = open_files_.size(); i < profile_.files().size(); ++i) {
    UniqueFd file;
    const std::string& path = profile_.files()[i].path;
    if (i < kOpenFilesMost && path.starts_with('/')) {
      file.reset(::open(path_in(pid, path).c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
      if (!file) file.reset(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    }
    open_files_.push_back(std::move(file));
  }
}

void StackSampler::name_stacks() {
  naming_.take(profile_, [&](const CodePlace& place) { return function_at(place); });
}

std::string StackSampler::function_at(const CodePlace& place) {
  const auto [found, is_new] = tables_.try_emplace(place.file);
  if (is_new) {
    const int fd = open_files_[place.file].get();
    const std::string& path = profile_.files()[place.file].path;
    if (path.starts_with('/')) found->second = FunctionTable::open(fd < 0 ? path : fmt::format("/proc/self/fd/{}", fd));
  }
  return found->second ? found->second->find(place.offset) : "";
}

NamedStacks StackSampler::finish() && {
  const StackEvents::Sums sums = events_.sums();
  read_records();
  add_before(UINT64_MAX);
  name_stacks();
  if (events_.tells_losses()) {
    profile_.losses().lost_records = sums.lost_records;
    profile_.losses().full_rings = 0;
  }
  NamedStacks named = std::move(naming_).finish(profile_);
  named.interval_ns = StackEvents::kInterval_ns;
  named.cpu_ns = sums.cpu_ns;
  return named;
}

}  // namespace dpm::sampling
