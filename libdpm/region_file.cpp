#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dpm/monitor/region_file.hpp>
#include <dpm/monitor/shared_folder.hpp>

namespace dpm::monitor {
namespace {

// After fork() in a program with threads only calls that are safe in a signal handler are allowed: no allocation in here.
int open_folder() {
  char path[kFolderBytes];
  put_folder_path(path);
  if (mkdir(path, 0700) != 0 && errno != EEXIST) return -1;
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0 && !is_ours_alone(folder)) {
    close(folder);
    return -1;
  }
  return folder;
}

void set_program_name(char* to, const char* chosen) {
  if (chosen[0] != '\0') {
    snprintf(to, kNameBytes, "%s", chosen);
    return;
  }
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  path[length < 0 ? 0 : length] = '\0';
  const char* slash = strrchr(path, '/');
  snprintf(to, kNameBytes, "%.*s", static_cast<int>(kNameBytes - 1), slash == nullptr ? path : slash + 1);
}

}  // namespace

const char* RegionFile::create(bool is_forked, const char* program) {
  struct rlimit limit {};
  // Beyond this limit the kernel does not refuse: it kills.
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < sizeof(Region))
    return "the limit of file sizes is too low";
  folder_ = open_folder();
  if (folder_ < 0) return "the folder of monitored programs cannot be used";
  if (!is_forked) remove_what_ended();
  struct timespec now {};
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(
      name_, sizeof name_, "%d-%llx", static_cast<int>(getpid()),
      static_cast<unsigned long long>(now.tv_sec) * 1'000'000'000ull + static_cast<unsigned long long>(now.tv_nsec));
  file_ = openat(folder_, name_, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file_ < 0 || !take_lock(file_) || ftruncate(file_, sizeof(Region)) != 0 ||
      fallocate(file_, 0, 0, sizeof(Header)) != 0) {
    if (file_ >= 0) unlinkat(folder_, name_, 0);
    return "the file shared with the monitor cannot be made";
  }
  void* at = mmap(nullptr, sizeof(Region), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (at == MAP_FAILED) {
    unlinkat(folder_, name_, 0);
    return "the file shared with the monitor cannot be mapped";
  }
  region_ = static_cast<Region*>(at);
  Header& header = region_->header;
  header.magic = kMagic;
  header.version = kLayoutVersion;
  header.bytes = sizeof(Region);
  header.pid = static_cast<std::uint32_t>(getpid());
  header.parent = is_forked ? static_cast<std::uint32_t>(getppid()) : 0;
  set_program_name(header.program, program);
  header.is_whole.store(1, std::memory_order_release);
  return "";
}

void RegionFile::give_place_to(RegionFile* file) {
  close(file_);
  close(folder_);
  Region* const place = region_;
  *this = file != nullptr ? *file : RegionFile{};
  if (file != nullptr &&
      mremap(region_, sizeof(Region), sizeof(Region), MREMAP_MAYMOVE | MREMAP_FIXED, place) == place) {
    file->region_ = region_ = place;
    return;
  }
  region_ = nullptr;
  mmap(place, sizeof(Region), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void RegionFile::end() {
  if (region_ == nullptr) return;
  region_->header.has_ended.store(1, std::memory_order_release);
  if (!is_watched()) unlinkat(folder_, name_, 0);
}

bool RegionFile::allocate(const void* from, std::size_t bytes) const {
  const auto offset = static_cast<const char*>(from) - reinterpret_cast<const char*>(region_);
  return fallocate(file_, 0, offset, static_cast<off_t>(bytes)) == 0;
}

bool RegionFile::is_watched() const {
  const int watcher = openat(folder_, "watcher", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (watcher < 0) return false;
  const bool is_held = is_locked(watcher);
  close(watcher);
  return is_held;
}

void RegionFile::ring_bell() const { futimens(file_, nullptr); }

// Programs that were killed while no monitor looked leave their files behind.
void RegionFile::remove_what_ended() const {
  if (is_watched()) return;  // the monitor may still read them
  DIR* folder = fdopendir(dup(folder_));
  if (folder == nullptr) return;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
    const int file = openat(folder_, entry->d_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) continue;
    struct stat status {};
    // One that was only just made has no lock yet.
    if (fstat(file, &status) == 0 && status.st_size != 0 && !is_locked(file)) unlinkat(folder_, entry->d_name, 0);
    close(file);
  }
  closedir(folder);
}

}  // namespace dpm::monitor
