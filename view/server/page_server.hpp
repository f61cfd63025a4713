// Serves DPM's page to browsers: HTTP, WebSocket, and TLS if there is a certificate. It knows nothing of traces.
//
// One thread waits for all connections, with Boost.Asio. A second thread calls the handler, for one viewer after the
// other, and encodes the answers: a slow answer delays neither accepting nor refusing nor sending. A thread of the handler
// may complete an answer later.
//
//     http://127.0.0.1:PORT/TOKEN/             the page
//     http://127.0.0.1:PORT/TOKEN/socket       WebSocket: requests, answers and ticks (docs/live-page.md)
//     http://127.0.0.1:PORT/TOKEN/api/NAME?KEY=VALUE    one answer as JSON
//     http://127.0.0.1:PORT/TOKEN/metrics      Prometheus
//
// The token has 128 random bits. There are no other addresses, and no files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/result.hpp"
#include "view/answers/request_handler.hpp"
#include "view/server/server_counters.hpp"
#include "view/server/server_options.hpp"

namespace dpm::view {

class PageServer {
 public:
  // `page` is an HTML file. Its inline scripts and styles are the only ones that browsers will run, so it has no attributes
  // with scripts or styles (onclick, style), and loads nothing. The handler must outlive the server.
  static Result<std::unique_ptr<PageServer>> start(ServerOptions options, std::string page, RequestHandler& handler);
  // Closes all connections, and waits until a running call of the handler has returned.
  ~PageServer();

  std::string url() const;  // of the page, with the token
  std::uint16_t port() const;

  // There is something new: viewers get {"tick": tick}, at most ten a second, the latest one. From any thread; cheap.
  void changed(const Json& tick);

  ServerCounters counters() const;  // from any thread

 private:
  class Work;
  explicit PageServer(std::unique_ptr<Work> work);
  std::unique_ptr<Work> work_;
};

}  // namespace dpm::view
