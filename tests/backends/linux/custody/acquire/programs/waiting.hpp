// Ways to wait in the kernel, for a target that is acquired meanwhile. Each is one system call, or the library function for
// it, and another process that ends the wait.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dpm {

struct Wait {
  std::string name;
  // Makes everything that is needed, before the process that ends the wait is forked.
  struct Scene {
    std::function<long()> wait;                            // what the call returned, or -errno
    std::function<void()> end;                             // run by the other process, once it is told to
    double least_seconds = 0;                              // the shortest time of the wait
    std::function<long()> afterwards = [] { return 0L; };  // another result that must be as usual
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
