// The connections of a collector: listens, authenticates peers, and gives the frames of meters to the merged stream. Any
// process of any machine may connect. A connection that breaks the rules or takes too long is dropped and counted, and does
// not disturb the others.
//
//     meter_entrance.hpp: unproved ──preamble──► TLS handshake ──► authenticated ──Hello──► a meter
//
// Each step has its own places: connections that have not come so far displace none that have.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "control/transport/collector/merged_stream.hpp"
#include "control/transport/tls/tls_context.hpp"
#include "os/net/io_context.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

struct ConnectionLimits {
  std::chrono::milliseconds preamble{5'000};   // from connecting until the peer has proved its key
  std::chrono::milliseconds greeting{10'000};  // from then until the meter is known
  std::size_t unproved_max = 1024;             // beyond that one is dropped (unproved_places.hpp)
  std::size_t greeting_max = 256;              // beyond that one of the machine and job with the most is dropped
};

class MeterConnections {
 public:
  struct Handlers {
    std::function<bool()> may_read;   // false while the filter takes no more; resume() ends that
    std::function<void()> on_change;  // received, sent or ended; must not call back
  };

  // Where to listen for meters.
  struct Place {
    bool loopback_only = false;
    std::uint16_t port_first = 0, port_last = 0;  // the first one that is free; 0: any
  };
  static Result<UniqueFd> listen(const Place& place);

  // Without a listener, connections come through accept() alone.
  MeterConnections(asio::io_context& context, UniqueFd listener, TlsContext::FindKey find_key, TlsContext tls,
                   ConnectionLimits limits, MergedStream& stream, Handlers handlers);
  MeterConnections(const MeterConnections&) = delete;
  MeterConnections& operator=(const MeterConnections&) = delete;
  ~MeterConnections();

  std::uint16_t port() const;  // 0: none
  void accept(UniqueFd connection);
  void resume();      // asks may_read() again
  void answer_all();  // confirms to meters what has been passed on
  void stop_listening();

  // A meter that has not ended is connected.
  bool has_open_meters() const;
  bool has_unsaid() const;  // there is something to send
  bool is_connected(std::uint32_t meter) const;
  const RefusedConnections& refused() const;

 private:
  class Work;
  std::shared_ptr<Work> work_;  // shared with its coroutines
};

}  // namespace dpm
