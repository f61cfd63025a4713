// links: dpm_monitor dpm_instrumented dpm_os
// An event that all of 1,000 processes know is defined and undefined, among 10,000 definitions: the time until each process has what is
// wanted in its memory, where its next use of the object reads it.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dpm/monitor/integer.hpp>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "backends/instrumented/program_folder.hpp"

namespace {

using namespace dpm;

constexpr int kProcesses = 1000, kObjects = 10, kDefinitions = 10'000, kTurns = 50;

// In the child: the objects are declared, and the process stays until its parent closes the pipe.
[[noreturn]] void be_program(monitor::Monitor* owner, int end) {
  std::vector<monitor::Integer<int>> objects;
  objects.reserve(kObjects);
  for (int o = 0; o < kObjects; ++o) objects.emplace_back(owner, "main", ("o" + std::to_string(o)).c_str(), 0);
  char byte = 0;
  while (::read(end, &byte, 1) > 0) {
  }
  ::_exit(0);
}

struct Place {
  std::size_t program, object;
};

double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main() {
  const std::string path = "/dev/shm/dpm-bench-" + std::to_string(::getpid());
  ::setenv("DPM_MONITOR_FOLDER", path.c_str(), 1);
  monitor::Monitor owner;
  int ends[2];
  if (::pipe(ends) != 0) return 1;
  for (int p = 0; p < kProcesses; ++p)
    if (::fork() == 0) {
      ::close(ends[1]);
      be_program(&owner, ends[0]);
    }
  auto folder = ProgramFolder::take();
  if (!folder) return std::printf("%s\n", folder.error().what.c_str()), 1;
  std::vector<std::string> complaints;
  std::vector<ProgramFolder::Found> programs;
  // What a definition means: by object and function, the objects of all processes.
  std::unordered_map<std::string, std::vector<Place>> places;
  for (int d = 0; d < kDefinitions; ++d) places["defined" + std::to_string(d) + " in elsewhere"];
  for (std::size_t met = 0; met < kProcesses * kObjects;) {
    for (auto& found : folder->take_new(complaints)) programs.push_back(std::move(found));
    for (std::size_t p = 0; p < programs.size(); ++p) {
      const std::size_t added = programs[p].program.take_objects();
      const auto objects = programs[p].program.objects();
      for (std::size_t o = objects.size() - added; o < objects.size(); ++o)
        places[objects[o].name + " in " + objects[o].function].push_back({p, o});
      if (added != 0) programs[p].program.answer();
      met += added;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::vector<double> define_ms, undefine_ms;
  for (int turn = 0; turn < kTurns; ++turn)
    for (const bool is_defined : {true, false}) {
      const auto begin = std::chrono::steady_clock::now();
      for (const Place& place : places.at("o" + std::to_string(turn % kObjects) + " in main"))
        programs[place.program].program.want(place.object, is_defined ? 1 : 0);
      (is_defined ? define_ms : undefine_ms).push_back(ms_since(begin));
    }
  ::close(ends[1]);
  while (::wait(nullptr) > 0) {
  }
  for (const ProgramFolder::Found& found : programs) folder->remove(found.file_name);
  std::sort(define_ms.begin(), define_ms.end());
  std::sort(undefine_ms.begin(), undefine_ms.end());
  std::printf(
      "%d definitions, %d processes: define %.2f ms (longest %.2f), undefine %.2f ms (longest %.2f); goal 10 ms\n",
      kDefinitions + kObjects, kProcesses, define_ms[kTurns / 2], define_ms.back(), undefine_ms[kTurns / 2],
      undefine_ms.back());
}
