// One end of a tunnel: carries the bytes of a socket in Relay messages, so that a meter reaches its filter's collector
// through the daemons and the controller (`filter --through controller`).
//
//     link ── socket pair ── Tunnel ── reports ──► controller ── requests ──► Tunnel ── socket pair ── collector
//
// At most kWindowBytes are under way in each direction: what the far end has not taken, the near end does not read. So
// nothing on the way needs to keep more. A tunnel may break anywhere. The link then connects again, and both ends of the
// meter protocol know where to continue.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "control/protocol/control_message.hpp"
#include "model/result.hpp"
#include "os/net/descriptor.hpp"

namespace dpm {

class Tunnel {
 public:
  static constexpr std::size_t kWindowBytes = 64 * 1024;

  struct Handlers {
    std::function<void(control::Relay)> send;  // the owner adds pid and number
    std::function<void()> on_end;              // once, last; the tunnel may be destroyed in it
  };

  // Our end, and the one that link or collector uses.
  static Result<std::pair<UniqueFd, UniqueFd>> make_sockets();

  Tunnel(asio::io_context& context, UniqueFd ours, Handlers handlers);
  Tunnel(const Tunnel&) = delete;
  Tunnel& operator=(const Tunnel&) = delete;

  // What the far end sends.
  void take(const control::Relay& piece);

 private:
  void read();
  void write();
  void wait();
  void end(bool tell);

  Handlers handlers_;
  std::unique_ptr<Descriptor> socket_;
  std::size_t under_way_ = 0;  // sent, and not taken by the far end
  std::size_t taken_ = 0;      // by our socket; not told yet
  std::string waiting_;        // for our socket
};

}  // namespace dpm
