// What a process that looks after a charge (a supervisor after a program, a collector after a filter) answers to the
// daemon, and to the next one should that be killed: control messages about this one charge, over a socket in the
// user's folder of sockets (keeper/socket_folder.hpp) named "charge@MACHINE@PID".
//
//     daemon ── Hello{whose it is from now on, and who listens} ──► charge      answered by Welcome with the charge
//     daemon ── requests ──► charge                                             as from a controller
//     daemon ◄── replies, StateChanged, FilterEnded, and Output while somebody listens ── charge
//
// Only one daemon is connected: the last that came.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "backends/linux/custody/keeper/socket_folder.hpp"
#include "backends/linux/remote/messages/message_stream.hpp"
#include "backends/linux/transport/net/listener.hpp"

namespace dpm {

// In a daemon's Hello: nobody listens. No controller can have this name.
inline constexpr const char* kNobody = ".";

std::string charge_sockets(const std::string& machine);  // how their names begin

class ChargeService {
 public:
  // To whom an answer belongs: a daemon that has gone gets none.
  struct Asker {
    std::uint64_t daemon = 0, number = 0;
  };
  struct Handlers {
    std::function<void(Asker, control::RequestBody)> on_request;  // Hello is answered here
    std::function<control::Charge()> describe;
    std::function<void()> on_room;  // somebody has begun to listen, or has taken what was sent
  };

  ChargeService(asio::io_context& context, Handlers handlers);
  ~ChargeService();

  // The connection to the daemon that started us, and where others find us.
  Result<void> begin(UniqueFd daemon, const std::string& machine);

  void reply(Asker asker, control::ReplyBody body);
  void refuse(Asker asker, const std::string& why) { reply(asker, control::Refused{why}); }
  void report(control::ReportBody body);

  const std::string& controller() const { return controller_; }  // whose it is
  bool is_listened_to() const { return daemon_ != nullptr && listened_to_; }
  // So much may be queued for the daemon before output waits here.
  bool has_room() const;

  // Nobody finds us any more. `then` is called when what was sent has been taken.
  void retire(std::function<void()> then);

 private:
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
