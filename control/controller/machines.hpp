// The machines of a computation as the controller sees them: it asks their daemons, and they report.
//
// Every call returns in bounded time, and at once when the user has interrupted. A machine that cannot be reached or does
// not answer makes its questions fail, and is reported as lost. `Connections` implements this class; tests have an implementation in memory.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "control/protocol/control_message.hpp"
#include "model/result.hpp"

namespace dpm::control {

// Always names this machine.
inline constexpr std::string_view kLocalMachine = "local";

struct Question {
  std::string machine;
  RequestBody body;
};
using Answer = Result<ReplyBody>;  // an error for Refused

// The connection ended: the machine's processes go on unseen.
struct MachineLost {
  std::string why;
};
// Connected, for the first time or again: the processes that it manages at that moment.
struct MachineFound {
  std::vector<ManagedProcess> managed;
  bool is_restarted = false;  // since the last connection: whatever ran there has ended
};

// What the controller noticed itself, as a line for the user.
struct Notice {
  std::string text;
};

struct MachineReport {
  std::string machine;
  std::variant<StateChanged, Output, FilterEnded, DeliveryChanged, EventsSeen, MachineLost, MachineFound, Notice> what;
};

class Machines {
 public:
  virtual ~Machines() = default;

  // Connects where necessary, sends all questions at once (to each machine in this order) and waits for every answer. The
  // answers are in the order of the questions. After an interruption nothing is asked: every answer is an error.
  virtual std::vector<Answer> ask(std::vector<Question> questions) = 0;

  // Asks without waiting, after a delay, and only a machine that is connected. The answer is given once, during a later call
  // that waits or takes reports, which does not end for it; never after this object has gone.
  virtual void ask_meanwhile(Question question, std::chrono::milliseconds delay, std::function<void(Answer)> take) = 0;
  // To be taken as a report.
  virtual void notice(const std::string& machine, std::string text) = 0;

  // The name by which each of these machines is known here: the first one that was used for it. Connects where necessary; a
  // machine that cannot be reached keeps its name.
  virtual std::vector<std::string> known_as(std::vector<std::string> machines) = 0;

  // The name that the machine has for itself, and under which its meters send events. An error if that is the name of
  // another machine: the one could send events of the other. Its known name, if it was never reached.
  virtual Result<std::string> own_name(const std::string& machine) const = 0;

  // An answer may come after more output than is kept until take_reports(). The handler then gets all output that
  // waits, oldest first, while the question is pending.
  using OutputHandler = std::function<void(std::vector<MachineReport> output)>;
  virtual void on_overflow(OutputHandler handler) = 0;

  // Whether this name stands for the machine we are on, and other machines do not know it.
  virtual bool is_here(const std::string& machine) const = 0;
  // Whether every name stands for the machine we are on.
  virtual bool are_all_here() const = 0;

  // From now on, meters of this filter on any machine reach it through us while the connections last.
  virtual void serve_tunnels(const FilterAddress& filter, const std::string& machine, std::uint32_t pid) = 0;

  // The reports since the last call, oldest first.
  virtual std::vector<MachineReport> take_reports() = 0;

  enum class Waited { reported, timed_out, interrupted };
  // Until there is a report to take.
  virtual Waited wait(std::chrono::milliseconds at_most) = 0;

  // Whether the user has interrupted a command since the last take_interruption().
  virtual bool is_interrupted() = 0;
  virtual bool take_interruption() = 0;
};

// The answer as the expected kind of reply.
template <typename Reply>
Result<Reply> expect(Answer answer) {
  if (!answer) return answer.error();
  if (auto* reply = std::get_if<Reply>(&*answer)) return std::move(*reply);
  return Error{"its daemon sent an unexpected answer: is it another version of DPM?"};
}

}  // namespace dpm::control
