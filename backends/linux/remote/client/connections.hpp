// The machines of a computation, reached through a launcher: one connection to the meterdaemon of each, opened when it
// is first needed and again when it was lost.
//
//     main thread                                   a thread for each connection (MachineConnection)
//     ask(): opens, sends to all, waits     ◄────── answers
//     take_reports(), wait()                ◄────── reports, in a queue that wakes report_descriptor()
//
// While the queue is full and nobody asks, the connections' threads wait: whatever processes print, our memory does not
// grow. ask() never waits for the queue, so that no answer can be behind a report that nobody takes.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/linux/remote/client/launcher.hpp"
#include "backends/linux/remote/client/machine_connection.hpp"
#include "backends/linux/remote/controller/machines.hpp"
#include "os/unique_fd.hpp"

namespace dpm::control {

class Connections : public Machines {
 public:
  static constexpr std::chrono::seconds kAnswerPatience{60};
  static constexpr std::size_t kQueuedBytesMax = 16 * 1024 * 1024;

  // `interruption` is a signalfd or an eventfd that becomes readable when the user wants to interrupt what is done.
  Connections(Launcher launcher, std::string controller, int interruption);
  ~Connections() override;  // what is left on machines goes on there

  std::vector<Answer> ask(std::vector<Question> questions) override;
  bool is_here(const std::string& machine) const override;
  std::vector<MachineReport> take_reports() override;
  Waited wait(std::chrono::milliseconds at_most) override;
  bool take_interruption() override;

  // Readable while there are reports to take.
  int report_descriptor() const { return awake_.get(); }

 private:
  // No Result: GCC 12 warns of one in a future, which it takes for no heap object.
  struct Opened {
    std::unique_ptr<MachineConnection> connection;
    std::string why_not;
  };
  struct Machine {
    std::unique_ptr<MachineConnection> connection;
    std::future<Opened> opening;
  };

  void open(const std::string& name);
  Opened connect(const Launcher& launcher, const std::string& name);  // in a thread of its own
  // Null with the reason, when it cannot be had.
  Result<MachineConnection*> opened(const std::string& name, std::chrono::steady_clock::time_point until);
  std::vector<Answer> answers_of(std::vector<Question> questions);
  template <typename Future>
  Result<void> await(Future& future, std::chrono::steady_clock::time_point until);
  bool is_interrupted();
  void queue(MachineReport report);
  void set_asking(bool is_asking);

  const Launcher launcher_;
  const std::string controller_;
  const int interruption_;
  bool was_interrupted_ = false;
  std::map<std::string, Machine> machines_;

  UniqueFd awake_;    // an eventfd
  std::mutex mutex_;  // of what follows
  std::condition_variable room_;
  std::vector<MachineReport> reports_;
  std::size_t queued_bytes_ = 0;
  std::map<std::string, bool> is_lost_;
  bool is_asking_ = false, is_closing_ = false;
};

}  // namespace dpm::control
