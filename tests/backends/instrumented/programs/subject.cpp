// A program that uses the library in the ways that check_script.py asks for; its first argument names the way.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dpm/monitor/integer.hpp>
#include <dpm/monitor/message_queue.hpp>
#include <dpm/monitor/point.hpp>
#include <dpm/monitor/semaphore.hpp>
#include <dpm/monitor/shared_memory.hpp>
#include <dpm/monitor/signal.hpp>
#include <dpm/monitor/socket.hpp>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

dpm::monitor::Monitor monitor;

namespace {

using dpm::monitor::Integer;
using dpm::monitor::Point;

// Each of `threads` threads assigns `times` times to an object of its own name, and once to a shared one.
void threads(int count, long times) {
  std::vector<std::thread> running;
  for (int t = 0; t < count; ++t)
    running.emplace_back([=] {
      Integer<long> own(&monitor, "threads", ("own" + std::to_string(t)).c_str(), 0);
      Integer<long> shared(&monitor, "threads", "shared", 0);
      for (long i = 0; i < times; ++i) own = i;
      shared = t;
    });
  for (std::thread& thread : running) thread.join();
}

// Goes on until its file `name` is removed, and says there how far it is: `assignments` each millisecond.
void go_on(const char* name, int assignments) {
  Integer<long> turn(&monitor, "go_on", "turn", 0);
  for (long i = 1; access(name, F_OK) == 0; ++i) {
    for (int n = 0; n < assignments; ++n) turn = i;
    if (FILE* file = fopen(name, "r+")) {
      fprintf(file, "%ld\n", i);
      fclose(file);
    }
    usleep(1000);
  }
}

enum class Low : signed char { kLeast = -128, kMost = 127 };
enum class High : std::uint64_t { kLeast = 0, kMost = ~0ull };

// The least and the greatest value of a type.
template <typename T>
void assign_edges(const char* name, T least, T most) {
  Integer<T> edge(&monitor, "types", name, T{});
  edge = least;
  edge = most;
}
template <typename T>
void assign_edges(const char* name) {
  assign_edges(name, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}

void types() {
  assign_edges<bool>("bool");
  assign_edges<std::int8_t>("s8");
  assign_edges<std::uint8_t>("u8");
  assign_edges<std::int16_t>("s16");
  assign_edges<std::uint16_t>("u16");
  assign_edges<std::int32_t>("s32");
  assign_edges<std::uint32_t>("u32");
  assign_edges<std::int64_t>("s64");
  assign_edges<std::uint64_t>("u64");
  assign_edges("low", Low::kLeast, Low::kMost);
  assign_edges("high", High::kLeast, High::kMost);
}

// Forks when the file `name` is removed; the child assigns.
void fork_later(const char* name) {
  Integer<long> turn(&monitor, "fork_later", "turn", 0);
  while (access(name, F_OK) == 0) usleep(1000);
  const pid_t child = fork();
  turn = child == 0 ? 2 : 1;
  if (child != 0) waitpid(child, nullptr, 0);
}

void served(int depth) {
  Point here(&monitor, "served", "here");
  here.force(depth);
  if (depth > 0) served(depth - 1);
}

void many_names() {
  Integer<int> longest(&monitor, "many_names", std::string(4096, 'x').c_str(), 0);
  Integer<int> hostile(&monitor, "many_names", "\x1b[31mred\n\"'<b>", 0);
  hostile = 1;
  for (int i = 0; i < 5000; ++i) Integer<int> one(&monitor, "many_names", std::to_string(i).c_str(), 0);
}

// Writes at random into what it shares with the monitor, as a hostile program can.
void damage(const char* folder, unsigned seed) {
  Integer<int> turn(&monitor, "damage", "turn", 0);
  turn = 1;
  const std::string find = "ls " + std::string(folder) + " | grep '^" + std::to_string(getpid()) + "-'";
  char name[64] = {};
  FILE* found = popen(find.c_str(), "r");
  const bool is_found = fgets(name, sizeof name, found) != nullptr;
  pclose(found);
  if (!is_found) _exit(3);
  name[strcspn(name, "\n")] = '\0';
  const int file = open((std::string(folder) + "/" + name).c_str(), O_RDWR);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t bytes = random();
    // The header, the objects, and the cursors and first records of the first ring.
    const off_t place = static_cast<off_t>(random() % (i % 2 == 0 ? sizeof(dpm::monitor::Header) : 3 << 20));
    if (pwrite(file, &bytes, 8, place) != 8) _exit(4);
    if (i % 100 == 0) usleep(1000);
  }
  if (ftruncate(file, 100) != 0) _exit(5);
  usleep(20'000);
  _exit(0);  // its own memory is gone
}

void expect(bool holds, int line) {
  if (holds) return;
  fprintf(stderr, "subject.cpp:%d: %s\n", line, strerror(errno));
  _exit(1);
}
#define EXPECT(holds) expect(holds, __LINE__)

// Parent and child use one object of each module for inter-process communication.
void modules() {
  const std::string path = "/dpm-subject-" + std::to_string(getpid());
  dpm::monitor::SocketServer request(&monitor, "modules", "request");
  dpm::monitor::Socket connect(&monitor, "modules", "connect");
  dpm::monitor::Semaphore turn(&monitor, "modules", "turn");
  dpm::monitor::MessageQueue queue(&monitor, "modules", "queue");
  dpm::monitor::SharedMemory memory(&monitor, "modules", "memory");
  dpm::monitor::Signal wake(&monitor, "modules", "wake", SIGUSR1);
  EXPECT(request.open(0) && turn.open(0) && queue.open(path.c_str(), 4, 64) && memory.open(path.c_str(), 100));
  const unsigned short port = request.port();
  char buffer[64] = {};
  const pid_t child = fork();
  if (child == 0) {
    EXPECT(turn.wait() && connect.open(port, "127.0.0.1") && connect.write("hello", 5));
    EXPECT(queue.receive(buffer, sizeof buffer) == 7 && memory.read(10, buffer, 8) && strcmp(buffer, "written") == 0);
    EXPECT(!memory.write(99, buffer, 2) && connect.read(buffer, sizeof buffer) == 0);
    EXPECT(wake.send(getppid()));
    connect.close();
    _exit(0);
  }
  EXPECT(turn.post() && connect.open(request) && connect.read(buffer, sizeof buffer) == 5);
  EXPECT(memory.write(10, "written", 8) && queue.send("message", 7));
  connect.close();
  EXPECT(wake.receive(std::chrono::seconds(30)) && !wake.receive(std::chrono::milliseconds(1)));
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  EXPECT(dpm::monitor::MessageQueue::remove(path.c_str()) && dpm::monitor::SharedMemory::remove(path.c_str()));
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::string way = argc > 1 ? argv[1] : "";
  if (way == "threads") threads(atoi(argv[2]), atol(argv[3]));
  if (way == "go_on") go_on(argv[2], argc > 3 ? atoi(argv[3]) : 100);
  if (way == "fork_later") fork_later(argv[2]);
  if (way == "served") served(2);
  if (way == "many_names") many_names();
  if (way == "modules") modules();
  if (way == "types") types();
  if (way == "damage") damage(argv[2], static_cast<unsigned>(atoi(argv[3])));
  printf("%s\n", monitor.is_connected() ? "connected" : monitor.reason());
  return 0;
}
