// Ways to wait in the kernel, for a target that is acquired while it does. Each is one system call, or what a program
// calls for it, and somebody else who ends the wait.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dpm {

struct Wait {
  std::string name;
  // Makes what is needed, before the one who ends the wait is forked off.
  struct Scene {
    std::function<long()> wait;                            // what the call returned, or -errno
    std::function<void()> end;                             // run by the other process, once it is told to
    double least_seconds = 0;                              // that the wait takes, whatever happens
    std::function<long()> afterwards = [] { return 0L; };  // what else must be as ever
  };
  std::function<Scene()> make;
};

const std::vector<Wait>& all_waits();

// Of those: calls on descriptors, and calls that wait for time, signals, locks and processes.
void add_descriptor_waits(std::vector<Wait>& waits);
void add_other_waits(std::vector<Wait>& waits);

// Ends the program with a message if `result` is negative.
int need(int result, const char* doing);
long or_errno(long result);

}  // namespace dpm
