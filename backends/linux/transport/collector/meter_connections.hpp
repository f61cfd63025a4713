// The connections of a collector: listens, lets in who has the secret, and hands the frames of meters to the merged
// stream. Any process of any machine may connect; one that breaks the rules or takes too long is dropped and counted,
// and costs others nothing but that.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "backends/linux/transport/collector/merged_stream.hpp"
#include "backends/linux/transport/net/io_context.hpp"
#include "backends/linux/transport/tls/tls_context.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

struct ConnectionLimits {
  std::chrono::milliseconds greeting{10'000};  // from connecting until it is known who speaks
  std::size_t unauthenticated_max = 64;        // then the oldest of them has to go
};

class MeterConnections {
 public:
  struct Handlers {
    std::function<bool()> may_read;   // false while the filter cannot take more; then resume() says when
    std::function<void()> on_change;  // something has come, was sent, or has ended; not to be answered in it
  };

  static Result<UniqueFd> listen(bool loopback_only);

  MeterConnections(asio::io_context& context, UniqueFd listener, TlsContext tls, ConnectionLimits limits,
                   MergedStream& stream, Handlers handlers);
  MeterConnections(const MeterConnections&) = delete;
  MeterConnections& operator=(const MeterConnections&) = delete;
  ~MeterConnections();

  std::uint16_t port() const;
  void resume();      // what waits for may_read() looks again
  void answer_all();  // tells meters what has been passed on
  void stop_listening();

  // A meter that has not ended is connected.
  bool has_open_meters() const;
  bool has_unsaid() const;  // something waits to be sent
  bool is_connected(std::uint32_t meter) const;
  const RefusedConnections& refused() const;

 private:
  class Work;
  std::shared_ptr<Work> work_;  // shared with its coroutines
};

}  // namespace dpm
