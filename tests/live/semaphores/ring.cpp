// Four threads in a ring, in which tokens go round: a thread that has one works with it, passes it on, and works on its own.
//
//   ring WAY TOKENS      WAY: pipe, semaphore (of the C library), condition (with a lock), metered (libdpm's semaphore)
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <cstdlib>
#include <dpm/monitor/semaphore.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 4, kLaps = 60;
constexpr double kWithToken_s = .004, kAlone_s = .002;

void work(double seconds) {
  const auto used_s = [] {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
  };
  const double end = used_s() + seconds;
  while (used_s() < end) {
  }
}

// Where tokens wait for one thread.
class Place {
 public:
  virtual ~Place() = default;
  virtual void put() = 0;
  virtual void take() = 0;
};

class Pipe : public Place {
 public:
  Pipe() {
    if (pipe(ends_.data()) != 0) std::abort();
  }
  void put() override {
    if (write(ends_[1], "", 1) != 1) std::abort();
  }
  void take() override {
    char byte = 0;
    if (read(ends_[0], &byte, 1) != 1) std::abort();
  }

 private:
  std::array<int, 2> ends_{};
};

class Semaphore : public Place {
 public:
  Semaphore() { sem_init(&semaphore_, 0, 0); }
  void put() override { sem_post(&semaphore_); }
  void take() override {
    while (sem_wait(&semaphore_) != 0) {
    }
  }

 private:
  sem_t semaphore_{};
};

class Condition : public Place {
 public:
  void put() override {
    const std::lock_guard lock(mutex_);
    ++tokens_;
    is_there_.notify_one();
  }
  void take() override {
    std::unique_lock lock(mutex_);
    is_there_.wait(lock, [this] { return tokens_ > 0; });
    --tokens_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable is_there_;
  int tokens_ = 0;
};

class Metered : public Place {
 public:
  Metered() : semaphore_(nullptr, "main", "place") {
    if (!semaphore_.open_metered(0)) std::abort();
  }
  void put() override { semaphore_.post(); }
  void take() override { semaphore_.wait(); }

 private:
  dpm::monitor::Semaphore semaphore_;
};

std::unique_ptr<Place> make_place(const std::string& way) {
  if (way == "pipe") return std::make_unique<Pipe>();
  if (way == "semaphore") return std::make_unique<Semaphore>();
  if (way == "condition") return std::make_unique<Condition>();
  return std::make_unique<Metered>();
}

}  // namespace

int main(int, char** arguments) {
  std::vector<std::unique_ptr<Place>> places;
  for (int i = 0; i < kThreads; ++i) places.push_back(make_place(arguments[1]));
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&places, i] {
      for (int lap = 0; lap < kLaps; ++lap) {
        places[static_cast<std::size_t>(i)]->take();
        work(kWithToken_s);
        places[static_cast<std::size_t>((i + 1) % kThreads)]->put();
        work(kAlone_s);
      }
    });
  usleep(50'000);  // until all wait
  for (int token = 0; token < std::atoi(arguments[2]); ++token) places[static_cast<std::size_t>(token)]->put();
  for (auto& thread : threads) thread.join();
  work(.002);
}
