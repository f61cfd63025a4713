// The machines of a computation, reached through a launcher: one connection to the meterdaemon of each, opened when it
// is first needed and again when it was lost.
//
// One thread does everything. It reads while it asks or waits here; at other times, messages wait in the sockets. While
// the queue of reports is full, it reads only to get answers, and the handler of overflows takes the output that comes
// before them. So memory stays bounded whatever processes print and machines send.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "control/client/launcher.hpp"
#include "control/client/machine_connection.hpp"
#include "control/client/own_names.hpp"
#include "control/client/tunnel_switch.hpp"
#include "control/controller/machines.hpp"
#include "os/net/timer.hpp"
#include "os/unique_fd.hpp"

namespace dpm::control {

class Connections : public Machines {
 public:
  static constexpr std::chrono::seconds kAnswerPatience{60};
  // A full queue is handled in some milliseconds, after which the user is served.
  static constexpr std::size_t kQueuedBytesMax = 256 * 1024;
  // Of one machine, without output: states, filters that ended, what it manages.
  static constexpr std::size_t kStatesBytesMax = 8 * 1024 * 1024;

  // `interruption` is a signalfd or an eventfd that becomes readable when the user interrupts a command.
  Connections(Launcher launcher, std::string controller, int interruption);
  ~Connections() override;  // processes go on

  std::vector<Answer> ask(std::vector<Question> questions) override;
  void ask_meanwhile(Question question, std::chrono::milliseconds delay, std::function<void(Answer)> take) override;
  void notice(const std::string& machine, std::string text) override { queue({machine, Notice{std::move(text)}}); }
  std::vector<std::string> known_as(std::vector<std::string> machines) override;
  Result<std::string> own_name(const std::string& machine) const override;
  void on_overflow(OutputHandler handler) override { on_overflow_ = std::move(handler); }
  bool is_here(const std::string& machine) const override;
  bool are_all_here() const override;
  void serve_tunnels(const FilterAddress& filter, const std::string& machine, std::uint32_t pid) override;
  std::vector<MachineReport> take_reports() override;
  Waited wait(std::chrono::milliseconds at_most) override;
  bool is_interrupted() override;
  bool take_interruption() override;

  enum class Woken { input, reported, interrupted, timed_out };
  // Until the descriptor `input` can be read, there is a report to take, or the user interrupts (which is taken). What the
  // user does comes before reports.
  Woken wait_for_input(int input, std::chrono::milliseconds at_most);

 private:
  void await_interruption();
  Result<MachineConnection*> connection_to(const std::string& name);
  void on_open(std::string& name, const Welcome& welcome);
  const std::string& first_name(const std::string& name) const;
  // Why the machine could not be reached when its name was looked up just now; nullptr otherwise.
  const std::string* failed_lookup(const std::string& name) const;
  void queue(MachineReport report);
  void relieve_queue();
  void drop(const std::string& machine);
  void ask_connected(Question question, const std::function<void(Answer)>& take);
  void send_piece(const std::string& machine, Relay piece);
  void set_reading(bool on);
  template <typename Condition>
  void run_until(std::chrono::steady_clock::time_point time, Condition is_met);

  const Launcher launcher_;
  const std::string controller_;
  std::unique_ptr<asio::io_context> context_;
  std::optional<Descriptor> interruption_;
  bool was_interrupted_ = false;
  std::map<std::string, std::unique_ptr<MachineConnection>> machines_;
  std::map<std::string, std::string> hosts_;        // what each name leads to, since it was last reached
  std::map<std::string, std::string> first_names_;  // of machines that have several
  OwnNames own_names_;
  // Machines whose names were looked up since the last question. A command looks a name up and then asks the machine: one
  // that does not answer is tried once.
  std::set<std::string> looked_up_;
  std::vector<MachineReport> reports_;
  std::size_t queued_bytes_ = 0;                     // of all reports
  std::map<std::string, std::size_t> states_bytes_;  // of those without output, by machine
  OutputHandler on_overflow_;
  TunnelSwitch tunnels_;
  std::list<Timer> delays_;  // of questions that are asked later
  bool is_asking_ = false;
};

}  // namespace dpm::control
