#include "view/server/answerer.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <utility>

#include "model/check.hpp"
#include "text/json_mistake.hpp"

namespace dpm::view {
namespace {

class OneCall {
 public:
  explicit OneCall(std::function<void(Result<Answer>)> then) : then_(std::move(then)) {}
  OneCall(const OneCall&) = delete;
  OneCall& operator=(const OneCall&) = delete;
  ~OneCall() {
    if (!called_) then_(Error{"this request was not answered: the program is ending, or gave it up"});
  }
  void call(Result<Answer> answer) {
    DPM_CHECK(!called_.exchange(true));
    then_(std::move(answer));
  }

 private:
  std::function<void(Result<Answer>)> then_;
  std::atomic<bool> called_ = false;
};

}  // namespace

Answerer::Answerer(RequestHandler& handler) : handler_(handler) {
  thread_ = thread_without_signals([this] { work(); });
}

Answerer::~Answerer() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Answerer::ask(Asker asker, Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_[asker].push_back(std::move(task));
  }
  changed_.notify_one();
}

void Answerer::forget(Asker asker) {
  std::deque<Task> forgotten;  // destroyed without the lock: that calls whom they would have answered
  const std::lock_guard lock(mutex_);
  const auto found = tasks_.find(asker);
  if (found == tasks_.end()) return;
  forgotten = std::move(found->second);
  tasks_.erase(found);
}

void Answerer::work() {
  std::unique_lock lock(mutex_);
  while (Task task = next(lock)) {
    lock.unlock();
    task(handler_);
    task = nullptr;
    lock.lock();
  }
}

Answerer::Task Answerer::next(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [this] { return over_ || !tasks_.empty(); });
  if (over_) return {};
  auto turn = tasks_.upper_bound(last_);
  if (turn == tasks_.end()) turn = tasks_.begin();
  last_ = turn->first;
  Task task = std::move(turn->second.front());
  turn->second.pop_front();
  if (turn->second.empty()) tasks_.erase(turn);
  return task;
}

RequestHandler::Done answer_once(std::function<void(Result<Answer>)> then) {
  const auto call = std::make_shared<OneCall>(std::move(then));
  return [call](Result<Answer> answer) { call->call(std::move(answer)); };
}

void answer(RequestHandler& handler, const PageRequest& request, const RequestHandler::Done& done) {
  try {
    handler.answer(request, done);
  } catch (const Json::exception& wrong) {
    done(Error{
        fmt::format("{}: a parameter has the wrong type ({})", request.name, json_content_mistake(wrong.what()))});
  }
}

std::thread thread_without_signals(std::function<void()> work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace dpm::view
