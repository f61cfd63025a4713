#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <dpm/monitor/shared_folder.hpp>

namespace dpm::monitor {

// Also called after fork() in programs with threads: no allocation in here.
void put_folder_path(char (&to)[kFolderBytes]) {
  const char* chosen = getenv("DPM_MONITOR_FOLDER");
  if (chosen != nullptr && chosen[0] != '\0') {
    snprintf(to, sizeof to, "%s", chosen);
    return;
  }
  snprintf(to, sizeof to, "/dev/shm/dpm-%u", static_cast<unsigned>(geteuid()));
  struct stat status {};
  if (lstat(to, &status) != 0 || status.st_uid == geteuid()) return;
  struct utsname machine {};
  const char* home = secure_getenv("HOME");
  if (home != nullptr && home[0] != '\0' && uname(&machine) == 0)
    snprintf(to, sizeof to, "%s/.dpm-monitor-%s", home, machine.nodename);
}

bool is_ours_alone(int folder) {
  struct stat status {};
  return fstat(folder, &status) == 0 && status.st_uid == geteuid() && (status.st_mode & 077) == 0;
}

bool take_lock(int file) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

bool is_locked(int file) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  return fcntl(file, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

}  // namespace dpm::monitor
