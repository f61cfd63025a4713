// Takes probes out in the background. The kernel takes the breakpoint out at once, and then waits until no CPU can be in its handler: about
// a tenth of a second for each probe, during which its caller could answer nothing. Waits of several threads pass together.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dpm {

class ProbeRemoval {
 public:
  ProbeRemoval() = default;
  // Waits until all are out.
  ~ProbeRemoval();
  ProbeRemoval(const ProbeRemoval&) = delete;

  // `take_out` is called once, in another thread.
  void add(std::function<void()> take_out);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::size_t idle_threads_ = 0;
  bool is_over_ = false;
  std::vector<std::thread> threads_;  // as many as were busy at once
};

}  // namespace dpm
