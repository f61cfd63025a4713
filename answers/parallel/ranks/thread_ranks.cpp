#include "answers/parallel/ranks/thread_ranks.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <thread>

namespace dpm {

class ThreadRanks::Member : public Ranks {
 public:
  Member(std::vector<Box>& boxes, std::uint32_t own) : boxes_(boxes), own_(own) {}

  std::uint32_t own() const override { return own_; }
  std::uint32_t count() const override { return static_cast<std::uint32_t>(boxes_.size()); }
  std::string name() const override { return "thread " + std::to_string(own_); }

  void send(std::uint32_t to, Bytes bytes) override {
    Box& box = boxes_.at(to);
    const std::lock_guard lock(box.mutex);
    box.messages.push_back({own_, std::move(bytes)});
    box.is_filled.notify_all();
  }
  Bytes receive(std::uint32_t from) override {
    Box& box = boxes_[own_];
    std::unique_lock lock(box.mutex);
    while (true) {
      const auto found = std::find_if(box.messages.begin(), box.messages.end(),
                                      [from](const Message& message) { return message.from == from; });
      if (found != box.messages.end()) {
        Bytes bytes = std::move(found->bytes);
        box.messages.erase(found);
        return bytes;
      }
      box.is_filled.wait(lock);
    }
  }

  [[noreturn]] void end_all(const std::string& why) override {
    std::cerr << "dpm: " << name() << ": " << why << std::endl;
    ::_exit(2);
  }

 private:
  std::vector<Box>& boxes_;
  const std::uint32_t own_;
};

void ThreadRanks::run(std::uint32_t count, const std::function<void(Ranks&)>& work) {
  std::vector<Box> boxes(count);
  std::vector<std::jthread> threads;
  for (std::uint32_t rank = 1; rank < count; ++rank) {
    threads.emplace_back([&boxes, &work, rank] {
      Member member(boxes, rank);
      work(member);
    });
  }
  Member first(boxes, 0);
  work(first);
}

}  // namespace dpm
