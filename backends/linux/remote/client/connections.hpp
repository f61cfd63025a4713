// The machines of a computation, reached through a launcher: one connection to the meterdaemon of each, opened when it
// is first needed and again when it was lost.
//
// One thread does everything. It reads while it asks or waits here; at other times, messages wait in the sockets. While
// the queue of reports is full, it reads only to get answers, so that memory stays bounded whatever processes print.
#pragma once

#include <map>
#include <memory>
#include <optional>
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

  // `interruption` is a signalfd or an eventfd that becomes readable when the user interrupts a command.
  Connections(Launcher launcher, std::string controller, int interruption);
  ~Connections() override;  // processes go on

  std::vector<Answer> ask(std::vector<Question> questions) override;
  bool is_here(const std::string& machine) const override;
  std::vector<MachineReport> take_reports() override;
  Waited wait(std::chrono::milliseconds at_most) override;
  bool take_interruption() override;

  enum class Woken { input, reported, interrupted, timed_out };
  // Until the descriptor `input` can be read, there is a report to take, or the user interrupts (which is taken).
  Woken wait_for_input(int input, std::chrono::milliseconds at_most);

 private:
  void await_interruption();
  Result<MachineConnection*> connection_to(const std::string& name);
  void queue(MachineReport report);
  void set_reading(bool on);
  template <typename Condition>
  void run_until(std::chrono::steady_clock::time_point time, Condition is_met);

  const Launcher launcher_;
  const std::string controller_;
  std::unique_ptr<asio::io_context> context_;
  std::optional<Descriptor> interruption_;
  bool was_interrupted_ = false;
  std::map<std::string, std::unique_ptr<MachineConnection>> machines_;
  std::vector<MachineReport> reports_;
  std::size_t queued_bytes_ = 0;
  bool is_asking_ = false;
};

}  // namespace dpm::control
