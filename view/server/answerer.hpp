// The thread that calls the handler. An asker with many requests waits for itself: the thread takes one of each asker in turn.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "view/answers/request_handler.hpp"

namespace dpm::view {

class Answerer {
 public:
  using Asker = std::uint64_t;
  using Task = std::function<void(RequestHandler&)>;

  explicit Answerer(RequestHandler& handler);
  Answerer(const Answerer&) = delete;
  Answerer& operator=(const Answerer&) = delete;
  ~Answerer();  // what waits is not done

  // From any thread.
  void ask(Asker asker, Task task);
  void forget(Asker asker);  // what it asked and was not begun

 private:
  void work();
  Task next(std::unique_lock<std::mutex>& lock);  // empty: it is over

  RequestHandler& handler_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Asker, std::deque<Task>> tasks_;  // no empty lists
  Asker last_ = 0;                           // whose turn it was
  bool over_ = false;
  std::thread thread_;
};

// `then` is called once, in the thread that calls the result or destroys its last copy, which is an error.
RequestHandler::Done answer_once(std::function<void(Result<Answer>)> then);

// Calls the handler. Parameters of the wrong types, for which nlohmann_json throws, are an error of the asker.
void answer(RequestHandler& handler, const PageRequest& request, const RequestHandler::Done& done);

// A thread that gets no signals: those are for the program's other threads.
std::thread thread_without_signals(std::function<void()> work);

}  // namespace dpm::view
