// The connections of a collector: listens, lets in who has the secret, and hands the frames of meters to the merged
// stream. Everybody may knock; whoever breaks the rules or takes too long is dropped and counted, and costs others
// nothing but that.
#pragma once

#include <poll.h>

#include <chrono>
#include <list>
#include <optional>
#include <vector>

#include "backends/linux/transport/collector/merged_stream.hpp"
#include "backends/linux/transport/frames/frame.hpp"
#include "backends/linux/transport/tls/tls_stream.hpp"

namespace dpm {

struct ConnectionLimits {
  std::chrono::milliseconds greeting{10'000};  // from connecting until it is known who speaks
  std::size_t unauthenticated_max = 64;        // then the oldest of them has to go
};

class MeterConnections {
 public:
  static Result<UniqueFd> listen(bool loopback_only);

  MeterConnections(UniqueFd listener, TlsContext tls, ConnectionLimits limits, MergedStream& stream);

  std::uint16_t port() const;

  // What to wait for; `may_read` is false while the filter cannot take more.
  void add_to(std::vector<pollfd>& waiting, bool may_read) const;
  // How long at most: some connection has to be looked at then, whatever happens.
  std::chrono::milliseconds due(bool may_read) const;
  // Lets in who knocks, and takes what has come.
  void serve(bool may_read);
  // Tells meters what has been passed on.
  void answer_all();
  // From now on nobody is let in.
  void stop_listening() { listener_.reset(); }

  // A meter that has not ended is connected.
  bool has_open_meters() const;
  bool has_unsaid() const;  // something waits to be sent
  bool is_connected(std::uint32_t meter) const;
  const RefusedConnections& refused() const { return refused_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Connection {
    Connection(const TlsContext& context, UniqueFd socket, Clock::time_point until)
        : tls(context, std::move(socket)), frames(wire::kMeterFrameBodyBytesMax), greeting_due(until) {}
    TlsStream tls;
    FrameReader frames;
    Clock::time_point greeting_due;
    bool authenticated = false, broken = false, told_gone = false, wants_write = false;
    bool unread = true;  // there may be something that no socket will announce
    std::optional<std::uint32_t> meter;
    std::string out;
    std::size_t sent = 0;
    wire::Ack acked;
  };

  void accept_all();
  void make_room();
  void shake_hands(Connection& connection);
  void read(Connection& connection);
  Result<void> take(Connection& connection, Frame frame);
  void meet(Connection& connection, const wire::Hello& hello);
  void answer(Connection& connection);
  void write(Connection& connection);

  UniqueFd listener_;
  TlsContext tls_;
  ConnectionLimits limits_;
  MergedStream& stream_;
  std::list<Connection> connections_;  // the oldest first
  RefusedConnections refused_;
};

}  // namespace dpm
