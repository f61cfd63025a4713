// Loaded into dpm with LD_PRELOAD: the files of a kernel without CONFIG_SCHED_INFO. There is no file called schedstat.
#include <dlfcn.h>
#include <fcntl.h>

#include <cerrno>
#include <cstdarg>
#include <string_view>

namespace {

mode_t mode_in(int flags, std::va_list values) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(values, mode_t) : 0;
}

int open_unless_hidden(const char* function, int folder, const char* path, int flags, mode_t mode) {
  if (std::string_view(path).ends_with("schedstat")) {
    errno = ENOENT;
    return -1;
  }
  const auto next = reinterpret_cast<int (*)(int, const char*, int, ...)>(::dlsym(RTLD_NEXT, function));
  return next(folder, path, flags, mode);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  std::va_list values;
  va_start(values, flags);
  const mode_t mode = mode_in(flags, values);
  va_end(values);
  return open_unless_hidden("openat", AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  std::va_list values;
  va_start(values, flags);
  const mode_t mode = mode_in(flags, values);
  va_end(values);
  return open_unless_hidden("openat", folder, path, flags, mode);
}

}  // extern "C"
