#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

#include "backends/linux/custody/keeper/socket_folder.hpp"
#include "os/machine.hpp"
#include "os/whole_io.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
namespace fs = std::filesystem;

namespace {

constexpr uid_t kUser = 60002, kSquatter = 60001;

void become(uid_t user) {
  if (::setgid(user) != 0 || ::setuid(user) != 0) ::_exit(1);
}

std::string home_of(uid_t user) { return "/tmp/home-" + std::to_string(user); }

bool take_private_folders() {
  ::umask(S_IWGRP | S_IWOTH);  // what is made here is for other accounts, too
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  if (::mount("none", "/tmp", "tmpfs", 0, "mode=1777") != 0) return false;
  if (::mount("none", "/run", "tmpfs", 0, "mode=755") != 0) return false;
  std::ofstream("/tmp/passwd") << "root:x:0:0::" << home_of(0) << ":/bin/sh\n"
                               << "user:x:" << kUser << ":1::" << home_of(kUser) << ":/bin/sh\n";
  if (::mount("/tmp/passwd", "/etc/passwd", nullptr, MS_BIND, nullptr) != 0) return false;
  for (const uid_t user : {uid_t{0}, kUser}) {
    if (::mkdir(home_of(user).c_str(), S_IRWXU) != 0 || ::chown(home_of(user).c_str(), user, user) != 0) return false;
  }
  return true;
}

// Runs the steps as root on a machine with an empty /tmp and /run, and returns what they return; nothing if this process may not
// make such a machine.
std::optional<std::string> on_empty_machine(const std::function<std::string()>& steps) {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  const pid_t pid = ::fork();
  if (pid == 0) {
    for (const char* name : {"XDG_RUNTIME_DIR", "XDG_STATE_HOME"}) ::unsetenv(name);
    if (::geteuid() != 0 || !take_private_folders()) ::_exit(1);
    ::setenv("HOME", home_of(0).c_str(), 1);
    ::_exit(write_all(writing.get(), steps()) ? 0 : 2);
  }
  writing.reset();
  const std::string said = read_to_end(reading.get());
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 1) {
    WARN("SKIPPED: this needs root and a mount namespace");
    return std::nullopt;
  }
  CHECK(status == 0);
  return said;
}

// The same for a step of another user.
std::string as(uid_t user, const std::function<std::string()>& step) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  const pid_t pid = ::fork();
  if (pid == 0) {
    become(user);
    ::setenv("HOME", home_of(user).c_str(), 1);
    ::_exit(write_all(writing.get(), step()) ? 0 : 2);
  }
  writing.reset();
  const std::string said = read_to_end(reading.get());
  ::waitpid(pid, nullptr, 0);
  return said;
}

std::string path_of(const SocketFolder& folder) {
  return fs::read_symlink("/proc/self/fd/" + std::to_string(folder.fd())).string();
}

std::string own_path() {
  const auto folder = SocketFolder::own();
  return folder ? path_of(*folder) : folder.error().what;
}

std::string below_home(uid_t user) { return home_of(user) + "/.local/state/dpm/sockets-" + machine_name(); }

using Squat = std::function<void(const std::string& path, uid_t victim)>;

void by_directory(const std::string& path, mode_t mode) {
  as(kSquatter, [&] { return std::to_string(::mkdir(path.c_str(), mode) + ::chmod(path.c_str(), mode)); });
}

const std::pair<const char*, Squat> kSquats[] = {
    {"a private directory", [](const std::string& path, uid_t) { by_directory(path, 0700); }},
    {"an open directory", [](const std::string& path, uid_t) { by_directory(path, 0777); }},
    {"a link to a private directory of the victim",
     [](const std::string& path, uid_t victim) {
       as(kSquatter, [&] { return std::to_string(::symlink(home_of(victim).c_str(), path.c_str())); });
     }},
    {"a dangling link",
     [](const std::string& path, uid_t) {
       as(kSquatter, [&] { return std::to_string(::symlink("/tmp/nowhere", path.c_str())); });
     }},
    {"a FIFO", [](const std::string& path,
                  uid_t) { as(kSquatter, [&] { return std::to_string(::mkfifo(path.c_str(), 0666)); }); }},
    {"a directory that its owner has opened",
     [](const std::string& path, uid_t victim) {
       as(victim, [&] { return std::to_string(::mkdir(path.c_str(), 0777) + ::chmod(path.c_str(), 0777)); });
     }},
};

}  // namespace

TEST_CASE("socket places: root's is in /run, another user's in /tmp", "[keeper]") {
  CHECK(on_empty_machine([] { return own_path(); }).value_or("/run/dpm") == "/run/dpm");
  CHECK(on_empty_machine([] { return as(kUser, own_path); }).value_or("/tmp/dpm-60002") == "/tmp/dpm-60002");
}

TEST_CASE("socket places: a folder that is used already comes first", "[keeper]") {
  const auto said = on_empty_machine([] {
    ::mkdir("/tmp/dpm-0", S_IRWXU);
    return own_path();
  });
  CHECK(said.value_or("/tmp/dpm-0") == "/tmp/dpm-0");
}

TEST_CASE("socket places: what another user created in /tmp, or can enter, is passed over", "[keeper]") {
  for (const auto& [what, squat] : kSquats) {
    for (const uid_t victim : {uid_t{0}, kUser}) {
      INFO(what << ", of user " << victim);
      const auto said = on_empty_machine([&squat = squat, victim] {
        const std::string taken = "/tmp/dpm-" + std::to_string(victim);
        squat(taken, victim);
        const std::string first = as(victim, own_path), second = as(victim, own_path);
        fs::remove_all(taken);
        // The folder that has sockets is still the one.
        return first == second && as(victim, own_path) == first ? first : first + ", then " + second;
      });
      const std::string expected = victim == 0 ? "/run/dpm" : below_home(victim);
      CHECK(said.value_or(expected) == expected);
    }
  }
}

TEST_CASE("socket places: root has a place where /run cannot be written", "[keeper]") {
  const auto said = on_empty_machine([] {
    by_directory("/tmp/dpm-0", 0700);
    std::ofstream("/run/dpm") << "taken";
    return own_path();
  });
  CHECK(said.value_or(below_home(0)) == below_home(0));
}

TEST_CASE("socket places: without a place, the message names each and the remedy", "[keeper]") {
  const auto said = on_empty_machine([] {
    by_directory("/tmp/dpm-60002", 0700);
    ::chmod(home_of(kUser).c_str(), 0);
    return as(kUser, own_path);
  });
  if (!said) return;
  CHECK(said->find("/tmp/dpm-60002: user 60001 owns it; ") != std::string::npos);
  CHECK(said->find(home_of(kUser) + "/.local: Permission denied") != std::string::npos);
  CHECK(said->find("set XDG_RUNTIME_DIR to a directory that only you may enter") != std::string::npos);
}

TEST_CASE("socket places: root looks in the home of another user", "[keeper]") {
  const auto said = on_empty_machine([] {
    by_directory("/tmp/dpm-60002", 0700);
    as(kUser, own_path);
    std::string found;
    for (const auto& folder : SocketFolder::about(kUser)) found += path_of(folder) + " ";
    return found;
  });
  CHECK(said.value_or(below_home(kUser) + " ") == below_home(kUser) + " ");
}

TEST_CASE("socket places: a home with a long path has sockets, too", "[keeper]") {
  const auto said = on_empty_machine([]() -> std::string {
    by_directory("/tmp/dpm-0", 0700);
    std::ofstream("/run/dpm") << "taken";
    const std::string home = home_of(0) + "/" + std::string(200, 'h');
    ::mkdir(home.c_str(), S_IRWXU);
    ::setenv("HOME", home.c_str(), 1);
    const auto folder = SocketFolder::own();
    if (!folder) return folder.error().what;
    const auto listening = folder->listen("meterd@red", SOCK_STREAM);
    return listening && SocketFolder::own()->connect("meterd@red", SOCK_STREAM) ? "connected" : "no socket";
  });
  CHECK(said.value_or("connected") == "connected");
}

TEST_CASE("socket folder: a listener of another user is not talked to", "[keeper]") {
  const auto said = on_empty_machine([]() -> std::string {
    const auto folder = SocketFolder::own();
    if (!folder) return folder.error().what;
    // As if it had been open to others for a while.
    ::fchmod(folder->fd(), 0777);
    const std::string theirs = as(kSquatter, [&folder]() -> std::string {
      const auto listening = folder->listen("meterd@red", SOCK_STREAM);
      return listening ? "listens" : listening.error().what;
    });
    UniqueFd ours = folder->connect("meterd@red", SOCK_STREAM);
    return theirs + (ours ? ", connected" : ", not connected");
  });
  CHECK(said.value_or("listens, not connected") == "listens, not connected");
}
