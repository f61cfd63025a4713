// A connection of a viewer, or of a stranger, seen from the server. Everything happens in the thread of the io_context.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "os/net/io_context.hpp"
#include "os/unique_fd.hpp"
#include "view/server/answerer.hpp"
#include "view/server/gate.hpp"
#include "view/server/server_options.hpp"
#include "view/server/shared_counters.hpp"
#include "view/server/viewer_session.hpp"

namespace boost::asio::ssl {
class context;
}

namespace dpm::view {

// What all connections of a server share. It outlives them.
struct Serving {
  // Also the threads that complete answers have it, which may be later than everything else here.
  std::shared_ptr<asio::io_context> context;
  ServerLimits limits;
  Gate gate;
  std::string page;
  bool has_tls = false;
  SharedCounters& counters;
  Answerer& answerer;
  std::function<void(std::uint64_t connection, bool was_viewer)> on_end;
  std::function<void()> on_new_viewer;
};

class Connection {
 public:
  virtual ~Connection() = default;

  // It lives until it has ended by itself or was dropped, and calls Serving::on_end then.
  virtual void begin() = 0;
  virtual void drop() = 0;

  bool has_shown_token() const { return has_shown_token_; }
  // To a viewer. Connections that are not viewers know every tick.
  virtual ViewerSession::Offered offer_tick(const SocketMessage& tick, std::uint64_t version) = 0;

 protected:
  bool has_shown_token_ = false;
};

// With `tls`, the bytes are encrypted.
std::shared_ptr<Connection> new_connection(Serving& serving, std::uint64_t number, UniqueFd socket,
                                           asio::ssl::context* tls);

}  // namespace dpm::view
