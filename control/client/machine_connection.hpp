// A controller's connection to the meterdaemon of one machine, through a launcher (launcher.hpp).
//
//     MachineConnection red(context, command, "red", "control-100", {on_open, on_report, on_end});
//     red.ask(CreateProcess{...}, [](Result<ReplyBody> reply) { ... });       // several may be under way
//     context.run();
//
// Handlers and answers are called in the thread that runs the io_context, in the order things happened, and never once
// the connection is destroyed. While nothing is read, what the machine reports waits there, and programs whose output
// is not taken wait as they would for a slow terminal.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "control/client/launcher_process.hpp"
#include "control/messages/request_link.hpp"
#include "model/time.hpp"

namespace dpm {

class MachineConnection {
 public:
  using Answer = RequestLink::Answer;
  struct Handlers {
    std::function<void(const control::Welcome&)> on_open;
    std::function<void(control::ReportBody)> on_report;
    // Once, last, with the reason; `opened` if on_open was called. The connection may be destroyed in it.
    std::function<void(const std::string& why, bool opened)> on_end;
  };

  // Starts the launcher's command and introduces the controller by its name. The reason of the end has what the
  // launcher said, such as "ssh: Could not resolve hostname red", and both versions if these differ.
  MachineConnection(asio::io_context& context, const std::vector<std::string>& command, std::string machine,
                    const std::string& controller, Handlers handlers, Duration patience = Duration::from_seconds(30));
  MachineConnection(const MachineConnection&) = delete;
  MachineConnection& operator=(const MachineConnection&) = delete;
  ~MachineConnection();  // processes and filters there go on

  bool is_open() const { return is_open_; }
  bool has_ended() const { return !ended_.empty(); }
  // Why the attempt failed, if it failed after `since`; nothing if the connection was open.
  const std::string* failed_after(std::chrono::steady_clock::time_point since) const {
    return has_ended() && !is_open_ && ended_at_ > since ? &ended_ : nullptr;
  }

  // What is asked before the connection is open is sent then. Refused is an answer like any other; an error means that
  // the connection has ended, or that the request is one that cannot be sent (and then says why).
  void ask(control::RequestBody request, Answer answer);
  void set_reading(bool on);
  // Ends the connection: the machine breaks the rules. Not from within a handler.
  void drop(const std::string& why);

 private:
  void on_reply_to_hello(const Result<control::ReplyBody>& reply);
  void on_link_end(const std::string& why, bool broken);
  void end(const std::string& why);

  asio::io_context& context_;
  const std::string machine_;
  Handlers handlers_;
  Timer patience_;
  bool is_open_ = false;
  std::vector<std::pair<control::RequestBody, Answer>> early_;  // asked before it is open
  std::string ended_;                                           // why
  std::chrono::steady_clock::time_point ended_at_;
  std::unique_ptr<LauncherProcess> launcher_;
  std::unique_ptr<RequestLink> link_;
};

}  // namespace dpm
