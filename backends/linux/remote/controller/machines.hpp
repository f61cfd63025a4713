// The machines of a computation as the controller sees them: it asks their daemons, and they report.
//
// Nothing here blocks for ever: a machine that cannot be reached or does not answer is an error of its questions, and
// is reported as lost. `Connections` is the real one; tests have one in memory.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "backends/linux/remote/protocol/control_message.hpp"
#include "model/result.hpp"

namespace dpm::control {

// This machine, whatever its name is.
inline constexpr std::string_view kLocalMachine = "local";

struct Question {
  std::string machine;
  RequestBody body;
};
using Answer = Result<ReplyBody>;  // what was refused is an error

// The connection ended: what the machine looks after lives on unseen.
struct MachineLost {
  std::string why;
};
// Connected, for the first time or again: what it looked after at that moment.
struct MachineFound {
  std::vector<ManagedProcess> managed;
};

struct MachineReport {
  std::string machine;
  std::variant<StateChanged, Output, FilterEnded, MachineLost, MachineFound> what;
};

class Machines {
 public:
  virtual ~Machines() = default;

  // Connects where that is needed, sends all at once (to one machine in this order) and waits for every answer; these
  // come in the order of the questions.
  virtual std::vector<Answer> ask(std::vector<Question> questions) = 0;

  // Whether this name is only another one for the machine we are on: no other machine knows it by it.
  virtual bool is_here(const std::string& machine) const = 0;

  // What was reported since, oldest first.
  virtual std::vector<MachineReport> take_reports() = 0;

  enum class Waited { reported, timed_out, interrupted };
  // Until there is a report to take.
  virtual Waited wait(std::chrono::milliseconds at_most) = 0;

  // Whether the user has interrupted what is being done since the last call.
  virtual bool take_interruption() = 0;
};

// The answer as the reply it has to be.
template <typename Reply>
Result<Reply> expect(Answer answer) {
  if (!answer) return answer.error();
  if (auto* reply = std::get_if<Reply>(&*answer)) return std::move(*reply);
  return Error{"its daemon answers something else: is it another version of DPM?"};
}

}  // namespace dpm::control
