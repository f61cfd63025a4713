// A controller's connection to the meterdaemon of one machine, through a launcher (launcher.hpp).
//
//     auto red = MachineConnection::open(command, "red", "control-100", {on_report, on_end});
//     auto created = red->ask(CreateProcess{...});       // several may be under way
//     ... created.get() ...                              // Refused, ProcessCreated, or the error that ended it
//
// A thread of its own reads and writes. ask() never waits. Handlers are called in that thread, in the order things
// happened: they should be quick, and must not wait for a reply. While a handler does not return, what the machine
// reports waits there, and programs whose output nobody takes wait as they would for a slow terminal.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "backends/linux/remote/protocol/control_message.hpp"
#include "model/result.hpp"
#include "model/time.hpp"

namespace dpm {

class MachineConnection {
 public:
  struct Handlers {
    std::function<void(control::ReportBody)> on_report;
    // Once, last, with the reason; not when the connection is destroyed.
    std::function<void(const std::string& why)> on_end;
  };
  using Answer = Result<control::ReplyBody>;

  // Starts the launcher's command, introduces the controller by its name and waits for the Welcome. An error says what
  // the launcher said, such as "ssh: Could not resolve hostname red", and both versions if these differ. Reports that
  // follow at once may come before this returns.
  static Result<std::unique_ptr<MachineConnection>> open(const std::vector<std::string>& command,
                                                         const std::string& machine, const std::string& controller,
                                                         Handlers handlers,
                                                         Duration patience = Duration::from_seconds(30));
  MachineConnection(const MachineConnection&) = delete;
  MachineConnection& operator=(const MachineConnection&) = delete;
  // What was asked and not answered is answered with an error. Processes and filters there go on.
  ~MachineConnection();

  const std::string& machine() const;  // as the user calls it
  const control::Welcome& welcome() const;

  // From any thread. Refused is an answer like any other; an error means that the connection has ended, or that the
  // request is one that cannot be sent (and then says why).
  std::future<Answer> ask(control::RequestBody request);

 private:
  class Work;
  explicit MachineConnection(std::unique_ptr<Work> work);

  std::unique_ptr<Work> work_;
};

}  // namespace dpm
