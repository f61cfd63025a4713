// What an agent (the supervisor of a program, the collector of a filter) answers to the daemon: control messages about
// its one managed process. When the daemon is killed, the next one finds the agent by its socket "agent@MACHINE@PID" in
// the user's folder of sockets (backends/linux/custody/keeper/socket_folder.hpp).
//
//     daemon ── Hello{the owner, if it is connected} ──► agent      answered by Welcome with the managed process
//     daemon ── requests ──► agent                                  as from a controller
//     daemon ◄── replies, StateChanged, FilterEnded, and Output while a controller listens ── agent
//
// One daemon is connected at a time; a new connection replaces the old one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "backends/linux/custody/keeper/socket_folder.hpp"
#include "control/messages/message_stream.hpp"
#include "os/net/listener.hpp"

namespace dpm {

// In a daemon's Hello: no controller listens. No controller can have this name.
inline constexpr const char* kNoListener = ".";

std::string agent_sockets(const std::string& machine);  // how their names begin

class AgentService {
 public:
  // A reply to a daemon that has gone is dropped.
  struct RequestId {
    std::uint64_t daemon = 0, number = 0;
  };
  struct Handlers {
    std::function<void(RequestId, control::RequestBody)> on_request;  // Hello is answered here
    std::function<control::ManagedProcess()> describe;
    std::function<void()> on_room;     // a controller has begun to listen, or has taken what was sent
    std::function<void()> on_new_way;  // to another controller, or the same one by another connection, or to none
  };

  AgentService(asio::io_context& context, Handlers handlers);
  ~AgentService();

  // An agent's main loop, until the agent stops the io_context: it does so when nothing of it is needed any more, and everything
  // is sent. `daemon`: the connection to the daemon that started us. Later daemons find us by a socket.
  Result<void> run(UniqueFd daemon, const std::string& machine);

  void reply(RequestId id, control::ReplyBody body);
  void refuse(RequestId id, const std::string& why) { reply(id, control::Refused{why}); }
  void report(control::ReportBody body);

  const std::string& controller() const { return controller_; }  // the owner
  bool is_listened_to() const { return daemon_ != nullptr && listened_to_; }
  // False while too much is queued for the daemon: output waits here.
  bool has_room() const;

  // Removes the socket: no other daemon finds us.
  void hide();
  // Hides, and ends the connection. `then` is called when the daemon has taken what was sent.
  void retire(std::function<void()> then);

 private:
  Result<void> begin(UniqueFd daemon, const std::string& machine);
  void connect(UniqueFd socket);
  void on_message(control::ControlMessage message);
  void greet(std::uint64_t number, const control::Hello& hello);

  asio::io_context& context_;
  Handlers handlers_;
  std::optional<SocketFolder> folder_;
  std::string socket_name_;
  std::optional<Listener> listener_;
  std::unique_ptr<MessageStream> daemon_;
  std::uint64_t daemon_number_ = 0;
  std::string controller_;
  bool listened_to_ = false;
  std::function<void()> when_retired_;
};

}  // namespace dpm
