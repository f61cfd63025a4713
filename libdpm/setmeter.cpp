// Asks the meters of the account, one after another, until one has the process (backends/linux/custody/keeper/control_socket.hpp).
#include <dirent.h>
#include <dpm/monitor/setmeter.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace dpm::monitor {
namespace {

constexpr const char* kMeterSockets = "meter-";
constexpr int kPathBytes = 4096, kLineBytes = 512;
constexpr timeval kPatience = {5, 0};

// As event scripts and --flags call them, by bit.
constexpr const char* kFlagNames[] = {"send",        "receivecall", "receive",      "messagequeued", "createpath",
                                      "destroypath", "fork",        "startprocess", "stopprocess",   "destroyprocess",
                                      "accept",      "connect",     "socket",       "dup",           "exec",
                                      "gap",         "wait",        "point",        "value",         "summary"};
static_assert((1 << (sizeof kFlagNames / sizeof *kFlagNames)) - 1 == DPM_M_ALL);

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

struct Request {
  char line[kLineBytes];
  int socket;   // that goes with it, or -1
  uid_t user;   // of the process
  int problem;  // the last one that is worth telling; 0: none
};

bool is_private_to(uid_t user, int folder) {
  struct stat status {};
  return fstat(folder, &status) == 0 && status.st_uid == user && (status.st_mode & 077) == 0;
}

bool send_request(int meter, const Request& request) {
  iovec part{const_cast<char*>(request.line), strlen(request.line)};
  union {
    cmsghdr alignment;
    char bytes[CMSG_SPACE(sizeof(int))];
  } space{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (request.socket >= 0) {
    message.msg_control = space.bytes;
    message.msg_controllen = sizeof space.bytes;
    cmsghdr* const rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(rights), &request.socket, sizeof(int));
  }
  return sendmsg(meter, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(part.iov_len);
}

// True: the meter has done it.
bool ask(int folder, const char* name, Request& request) {
  const Descriptor meter(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder, name);
  setsockopt(meter.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  setsockopt(meter.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  if (connect(meter.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return false;
  ucred owner{};
  socklen_t length = sizeof owner;
  const bool is_owners = getsockopt(meter.get(), SOL_SOCKET, SO_PEERCRED, &owner, &length) == 0 &&
                         (owner.uid == request.user || owner.uid == geteuid());
  if (!is_owners || !send_request(meter.get(), request)) return false;
  char answer[kLineBytes] = {};
  ssize_t got = 0;
  do got = recv(meter.get(), answer, sizeof answer - 1, 0);
  while (got < 0 && errno == EINTR);
  if (got <= 0) request.problem = ETIMEDOUT;
  if (strstr(answer, "error a meter connection") == answer) request.problem = EIO;
  return strncmp(answer, "ok ", 3) == 0;
}

bool ask_all(const char* path, uid_t owner, Request& request) {
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return false;
  DIR* const entries = fdopendir(folder);
  if (entries == nullptr) {
    close(folder);
    return false;
  }
  bool is_done = false;
  if (is_private_to(owner, folder))
    for (const dirent* entry = readdir(entries); entry != nullptr && !is_done; entry = readdir(entries))
      if (strncmp(entry->d_name, kMeterSockets, strlen(kMeterSockets)) == 0)
        is_done = ask(folder, entry->d_name, request);
  closedir(entries);
  return is_done;
}

// Where meters of an account put their sockets (backends/linux/custody/keeper/socket_places.hpp). Root looks at the account of the
// process too, but not into its home.
bool ask_everywhere(uid_t owner, Request& request) {
  char path[kPathBytes];
  const char* const runtime = owner == geteuid() ? secure_getenv("XDG_RUNTIME_DIR") : nullptr;
  if (runtime != nullptr && snprintf(path, sizeof path, "%s/dpm", runtime) > 0 && ask_all(path, owner, request))
    return true;
  if (owner == 0 && ask_all("/run/dpm", owner, request)) return true;
  snprintf(path, sizeof path, "/tmp/dpm-%u", static_cast<unsigned>(owner));
  if (ask_all(path, owner, request)) return true;
  snprintf(path, sizeof path, "/run/user/%u/dpm", static_cast<unsigned>(owner));
  if (ask_all(path, owner, request)) return true;
  const char* const state = secure_getenv("XDG_STATE_HOME");
  const char* const home = secure_getenv("HOME");
  struct utsname machine {};
  if (owner != geteuid() || uname(&machine) != 0 || (state == nullptr && home == nullptr)) return false;
  snprintf(path, sizeof path, "%s%s/dpm/sockets-%s", state != nullptr ? state : home,
           state != nullptr ? "" : "/.local/state", machine.nodename);
  return ask_all(path, owner, request);
}

void append(char (&line)[kLineBytes], const char* text) { strncat(line, text, sizeof line - strlen(line) - 1); }

void append_flags(char (&line)[kLineBytes], int flags) {
  if (flags == DPM_NO_CHANGE) return append(line, "keep");
  if (flags == DPM_NONE || flags == 0) return append(line, "none");
  const char* before = "";
  for (unsigned bit = 0; bit < sizeof kFlagNames / sizeof *kFlagNames; ++bit) {
    if ((flags >> bit & 1) == 0) continue;
    append(line, before);
    append(line, kFlagNames[bit]);
    before = ",";
  }
  if ((flags & DPM_M_IMMEDIATE) == 0) return;
  append(line, before);
  append(line, "immediate");
}

// 0, or the errno that says why not.
int check_socket(int socket) {
  if (socket == DPM_NO_CHANGE || socket == DPM_NONE) return 0;
  if (fcntl(socket, F_GETFD) < 0) return ESRCH;
  int type = 0;
  socklen_t length = sizeof type;
  return getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM ? 0 : EINVAL;
}

int set_meter(int process, int flags, int socket) {
  const int pid = process == DPM_SELF ? getpid() : process;
  if (pid <= 0) return ESRCH;
  if (flags != DPM_NO_CHANGE && flags != DPM_NONE && (flags & ~(DPM_M_ALL | DPM_M_IMMEDIATE)) != 0) return EINVAL;
  if (const int problem = check_socket(socket)) return problem;
  if (kill(pid, 0) != 0) return errno;
  char folder[32];
  snprintf(folder, sizeof folder, "/proc/%d", pid);
  struct stat status {};
  if (stat(folder, &status) != 0) return ESRCH;

  Request request{{}, socket >= 0 ? socket : -1, status.st_uid, 0};
  snprintf(request.line, sizeof request.line, "setmeter %d ", pid);
  append_flags(request.line, flags);
  append(request.line, socket == DPM_NO_CHANGE ? " keep\n" : socket == DPM_NONE ? " none\n" : " given\n");
  if (ask_everywhere(geteuid(), request)) return 0;
  if (status.st_uid != geteuid() && geteuid() == 0 && ask_everywhere(status.st_uid, request)) return 0;
  return request.problem != 0 ? request.problem : ESRCH;
}

}  // namespace
}  // namespace dpm::monitor

int dpm_setmeter(int process, int flags, int socket) {
  const int problem = dpm::monitor::set_meter(process, flags, socket);
  if (problem == 0) return 0;
  errno = problem;
  return -1;
}
