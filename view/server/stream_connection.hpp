// A connection over a stream of bytes.
//
//     converse()     TLS handshake, then exchange() after exchange() while the connection is kept
//     exchange()     one request: header, gate, response; or it becomes a WebSocket, and then
//     read_socket()  messages of the viewer become requests for the answerer
//     write_socket() its own coroutine: answers and ticks, one after the other
//
// A wait that takes too long is ended by a Timer that drops the connection. Long contents are sent in pieces, each with a
// time of its own: a slow viewer that goes on reading is not dropped.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "os/net/timer.hpp"
#include "view/server/beast.hpp"
#include "view/server/byte_stream.hpp"
#include "view/server/connection.hpp"
#include "view/server/page_policy.hpp"
#include "view/server/response_head.hpp"

namespace dpm::view {

using RequestParser = http::request_parser<http::empty_body>;

struct Encoded {
  SocketMessage message;
  bool is_error = false;
};
class StreamConnection : public Connection, public std::enable_shared_from_this<StreamConnection> {
 public:
  // With `tls`, which must outlive it, the bytes are encrypted.
  StreamConnection(Serving& serving, std::uint64_t number, UniqueFd socket, asio::ssl::context* tls);

  void begin() override;
  void drop() override;
  ViewerSession::Offered offer_tick(const SocketMessage& tick, std::uint64_t version) override;

 private:
  using Self = std::shared_ptr<StreamConnection>;

  struct HttpAnswer {
    unsigned status = 200;
    std::string content;
  };

  // HTTP

  asio::awaitable<void> converse(Self self);
  void refuse_and_drop(Refusal why);
  asio::awaitable<bool> exchange();  // false: the connection has ended
  asio::awaitable<void> refuse(Refusal why, const RequestParser& parser);
  asio::awaitable<bool> serve(const Admission& admission, const RequestParser& parser);
  std::string socket_origin(std::string_view host) const;
  asio::awaitable<bool> send(std::string_view bytes);  // false: it could not be sent, and the connection is dropped
  // Until the other end closes as well, but not long. Closing while bytes of the other end are unread would reset the connection, and
  // the response might be lost with it.
  asio::awaitable<void> say_farewell();

  void ask(const Admission& admission);
  void ask_metrics();
  void take_http_answer(Encoded answer);
  void count(const Encoded& answer);
  asio::awaitable<bool> answer_arrives();

  // WebSocket

  asio::awaitable<void> serve_socket(const RequestParser& parser);
  // Looks four times in the time of silence. Beast's own limit would also drop a viewer that reads slowly, because the answer to
  // a ping comes after all that was sent before. And Beast tells an error to the other end before it tells us, without a
  // limit: there, too, nothing is heard and nothing sent.
  void watch();
  void ping();
  void configure_socket();
  asio::awaitable<void> read_socket();
  void take_message(std::string_view text);
  void close_socket(std::string_view why);
  void ask_next();
  void take_answer(Encoded answer);
  asio::awaitable<void> write_socket(Self self);
  asio::awaitable<void> send_first();
  void note_sent();

  Serving& serving_;
  const std::uint64_t number_;
  ByteStream stream_;
  Timer deadline_;                      // of what is being read or waited for
  Timer unread_;                        // of what is being sent
  Timer watch_;                         // of a viewer
  asio::steady_timer resumed_, ready_;  // never expire: cancelling wakes the coroutine that waits
  beast::flat_buffer in_;
  HttpAnswer answer_;
  bool has_answer_ = false;
  std::optional<websocket::stream<ByteStream&>> socket_;
  ViewerSession session_;
  std::optional<std::string> close_reason_;
  int quiet_looks_ = 0;  // in which nothing was heard, and nothing was taken
  bool is_pinging_ = false;
  bool is_viewer_ = false, is_dropped_ = false;
};

}  // namespace dpm::view
