// A connection over a stream of bytes: a TCP socket, or TLS on one. plain_connection.cpp and tls_connection.cpp compile it.
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

#include "backends/linux/transport/net/timer.hpp"
#include "view/server/beast.hpp"
#include "view/server/connection.hpp"
#include "view/server/page_policy.hpp"
#include "view/server/response_head.hpp"
#include "view/server/streams.hpp"

namespace dpm::view {

inline constexpr std::size_t kPieceBytes = 64 * 1024;
inline constexpr std::size_t kCloseReasonBytesMax = 120;  // RFC 6455 5.5: a control frame has 125 bytes
inline constexpr std::size_t kLeftoverBytesMax = 1024 * 1024;
inline constexpr std::chrono::seconds kFarewell{2};
inline constexpr int kLooks = 4;  // for a sign of life of a viewer

// What was refused when a header could not be read. Nothing: the other end has closed the connection, as it may.
std::optional<Refusal> refusal_of_header(AsioError failed);
// The same for a message of a WebSocket.
std::optional<Refusal> refusal_of_message(AsioError failed);

using RequestParser = http::request_parser<http::empty_body>;
Knock knock_of(const RequestParser& parser);
inline std::string_view plain(beast::string_view text) { return {text.data(), text.size()}; }

struct Encoded {
  SocketMessage message;
  bool is_error = false;
};
// An answer, also a later one in another thread, comes back as a call of `then` in the io_context's thread. The thread that
// completes the answer encodes it: as a message of a WebSocket with the id, or as the content of a response.
RequestHandler::Done answer_in(std::shared_ptr<asio::io_context> context, std::optional<std::uint64_t> id,
                               std::function<void(Encoded)> then);

template <typename Stream>
class StreamConnection : public Connection, public std::enable_shared_from_this<StreamConnection<Stream>> {
 public:
  template <typename... Arguments>
  StreamConnection(Serving& serving, std::uint64_t number, UniqueFd socket, Arguments&... arguments)
      : serving_(serving),
        number_(number),
        stream_(asio::ip::tcp::socket(*serving.context, asio::ip::tcp::v6(), socket.release()), arguments...),
        deadline_(*serving.context),
        unread_(*serving.context),
        watch_(*serving.context),
        resumed_(*serving.context),
        ready_(*serving.context),
        in_(serving.limits.header_bytes_max * 2),
        session_(serving.limits) {
    resumed_.expires_at(asio::steady_timer::time_point::max());
    ready_.expires_at(asio::steady_timer::time_point::max());
  }

  void begin() override { spawn(*serving_.context, converse(this->shared_from_this())); }

  void drop() override {
    if (std::exchange(is_dropped_, true)) return;
    deadline_.cancel();
    unread_.cancel();
    watch_.cancel();
    AsioError ignored;
    tcp_of(stream_).close(ignored);
    resumed_.cancel();
    ready_.cancel();
    serving_.answerer.forget(number_);
    if (is_viewer_) serving_.counters.subtract(&ServerCounters::viewers);
    serving_.on_end(number_, is_viewer_);
  }

  ViewerSession::Offered offer_tick(const SocketMessage& tick, std::uint64_t version) override {
    if (!is_viewer_ || close_reason_) return ViewerSession::Offered::known;
    const auto offered = session_.offer_tick(tick, version);
    if (offered == ViewerSession::Offered::taken) ready_.cancel();
    return offered;
  }

 private:
  using Self = std::shared_ptr<StreamConnection>;

  // ---- HTTP

  asio::awaitable<void> converse([[maybe_unused]] Self self) {
    deadline_.start(serving_.limits.header, [this] { refuse_and_drop(Refusal::slow); });
    const AsioError stranger = co_await shake_hands(stream_);
    if (stranger && !is_dropped_) serving_.counters.refuse(Refusal::malformed);
    bool goes_on = !stranger;
    while (goes_on && !is_dropped_) {
      const bool is_kept = co_await exchange();
      goes_on = is_kept;
    }
    drop();
  }

  void refuse_and_drop(Refusal why) {
    serving_.counters.refuse(why);
    drop();
  }

  // False: the connection has ended.
  asio::awaitable<bool> exchange() {
    RequestParser parser;
    parser.header_limit(static_cast<std::uint32_t>(serving_.limits.header_bytes_max));
    parser.body_limit(std::numeric_limits<std::uint64_t>::max());  // the gate refuses bodies, after strangers
    // After the first request, silence is not a refusal.
    deadline_.start(serving_.limits.header, [this] {
      if (!has_shown_token_ || in_.size() > 0) serving_.counters.refuse(Refusal::slow);
      drop();
    });
    AsioError failed;
    co_await http::async_read_header(stream_, in_, parser, asio::redirect_error(asio::use_awaitable, failed));
    deadline_.cancel();
    if (is_dropped_) co_return false;
    if (failed) {
      const auto why = refusal_of_header(failed);
      if (why) co_await refuse(*why, parser);
      co_return false;
    }
    const auto verdict = serving_.gate.judge(knock_of(parser));
    if (const auto* why = std::get_if<Refusal>(&verdict)) {
      co_await refuse(*why, parser);
      co_return false;
    }
    has_shown_token_ = true;
    serving_.counters.add(&ServerCounters::requests);
    const Admission admission = std::get<Admission>(verdict);
    if (admission.place == Place::socket) {
      co_await serve_socket(parser);
      co_return false;
    }
    const bool is_kept = co_await serve(admission, parser);
    co_return is_kept;
  }

  asio::awaitable<void> refuse(Refusal why, const RequestParser& parser) {
    serving_.counters.refuse(why);
    ResponseHead head{.status = status_of(why), .policy = empty_policy(), .keeps_connection = false};
    if (why == Refusal::method) head.more_headers = "Allow: GET, HEAD\r\n";
    head.http_version = version_of(parser);
    const bool is_sent = co_await send(written(head));
    if (is_sent) co_await say_farewell();
  }

  asio::awaitable<bool> serve(const Admission& admission, const RequestParser& parser) {
    const auto& request = parser.get();
    ResponseHead head{.policy = empty_policy(), .keeps_connection = request.keep_alive()};
    head.http_version = version_of(parser);
    std::string policy, location;
    std::string content;
    if (admission.place == Place::page) {
      policy = page_policy(serving_.page, socket_origin(plain(request[http::field::host])));
      head.policy = policy;
      head.content_type = "text/html; charset=utf-8";
    } else if (admission.place == Place::page_without_slash) {
      head.status = 308;
      const std::string_view target = plain(request.target());
      location = fmt::format("Location: {}/\r\n", target.substr(0, target.find('?')));
      head.more_headers = location;
    } else {
      head.content_type =
          admission.place == Place::metrics ? "text/plain; version=0.0.4; charset=utf-8" : "application/json";
      ask(admission);
      const bool is_there = co_await answer_arrives();
      if (is_dropped_) co_return false;
      if (!is_there) answer_ = {504, error_json("there is no answer yet: ask again, or for less")};
      head.status = answer_.status;
      content = std::move(answer_.content);
    }
    const std::string_view shown = admission.place == Place::page ? std::string_view(serving_.page) : content;
    head.length = shown.size();
    const bool goes_on = co_await send(written(head));
    if (!goes_on || is_dropped_) co_return false;
    if (request.method() == http::verb::head) co_return head.keeps_connection;
    const bool is_sent = co_await send(shown);
    co_return is_sent&& head.keeps_connection;
  }

  static unsigned version_of(const RequestParser& parser) { return parser.get().version(); }

  std::string socket_origin(std::string_view host) const {
    // A policy cannot name an IPv6 address.
    return host.starts_with('[') ? "" : fmt::format("{}://{}", serving_.has_tls ? "wss" : "ws", host);
  }

  // False: it could not be sent, and the connection is dropped.
  asio::awaitable<bool> send(std::string_view bytes) {
    while (!bytes.empty() && !is_dropped_) {
      const auto piece = bytes.substr(0, kPieceBytes);
      unread_.start(serving_.limits.unread, [this] { refuse_and_drop(Refusal::unread); });
      AsioError failed;
      co_await asio::async_write(stream_, asio::buffer(piece), asio::redirect_error(asio::use_awaitable, failed));
      unread_.cancel();
      if (failed) drop();
      serving_.counters.add(&ServerCounters::bytes, failed ? 0 : piece.size());
      bytes.remove_prefix(piece.size());
    }
    co_return !is_dropped_;
  }

  // Until the other end closes as well, but not long. Closing while bytes of the other end are unread would reset the connection, and the response might be lost with it.
  asio::awaitable<void> say_farewell() {
    deadline_.start(kFarewell, [this] { drop(); });
    AsioError failed;
    tcp_of(stream_).shutdown(asio::ip::tcp::socket::shutdown_send, failed);
    std::string rest(kPieceBytes, '\0');
    for (std::size_t read = 0; !failed && !is_dropped_ && read < kLeftoverBytesMax;) {
      const std::size_t length =
          co_await tcp_of(stream_).async_receive(asio::buffer(rest), asio::redirect_error(asio::use_awaitable, failed));
      read += length;
    }
  }

  // ---- answers over HTTP

  struct HttpAnswer {
    unsigned status = 200;
    std::string content;
  };

  void ask(const Admission& admission) {
    answer_ = {};
    has_answer_ = false;
    if (admission.place == Place::metrics) return ask_metrics();
    const auto request = read_query(admission.name, admission.query);
    if (!request) {
      serving_.counters.refuse(Refusal::request);
      answer_ = {400, error_json(request.error().what)};
      has_answer_ = true;
      return;
    }
    const auto done = answer_in(serving_.context, std::nullopt, [weak = this->weak_from_this()](Encoded answer) {
      if (const Self self = weak.lock()) self->take_http_answer(std::move(answer));
    });
    serving_.answerer.ask(number_,
                          [request = *request, done](RequestHandler& handler) { answer(handler, request, done); });
  }

  void ask_metrics() {
    serving_.answerer.ask(number_, [&counters = serving_.counters, context = serving_.context,
                                    weak = this->weak_from_this()](RequestHandler& handler) {
      auto families = metrics_of(counters.read());
      for (auto& family : handler.metrics()) families.push_back(std::move(family));
      later(*context, [weak, text = prometheus_text(families)] {
        if (const Self self = weak.lock()) self->take_http_answer({{false, text}, false});
      });
    });
  }

  void take_http_answer(Encoded answer) {
    count(answer);
    answer_ = {answer.is_error ? 400u : 200u, std::move(answer.message.bytes)};
    has_answer_ = true;
    ready_.cancel();
  }

  void count(const Encoded& answer) {
    serving_.counters.add(answer.is_error ? &ServerCounters::errors : &ServerCounters::answers);
  }

  asio::awaitable<bool> answer_arrives() {
    bool is_too_late = false;
    deadline_.start(serving_.limits.answer_patience, [this, &is_too_late] {
      is_too_late = true;
      ready_.cancel();
    });
    while (!has_answer_ && !is_too_late && !is_dropped_) {
      AsioError ignored;
      co_await ready_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    deadline_.cancel();
    co_return has_answer_;
  }

  // ---- WebSocket

  asio::awaitable<void> serve_socket(const RequestParser& parser) {
    // A viewer that sends before it was accepted does not speak WebSocket.
    if (in_.size() > 0) {
      co_await refuse(Refusal::malformed, parser);
      co_return;
    }
    socket_.emplace(stream_);
    configure_socket();
    AsioError failed;
    deadline_.start(serving_.limits.header, [this] { refuse_and_drop(Refusal::slow); });
    co_await socket_->async_accept(parser.get(), asio::redirect_error(asio::use_awaitable, failed));
    deadline_.cancel();
    if (failed && !is_dropped_) serving_.counters.refuse(Refusal::malformed);
    if (failed || is_dropped_) co_return;
    is_viewer_ = true;
    serving_.counters.add(&ServerCounters::viewers);
    spawn(*serving_.context, write_socket(this->shared_from_this()));
    serving_.on_new_viewer();
    watch();
    co_await read_socket();
    if (!is_dropped_) co_await say_farewell();
  }

  // Looks four times in the time of silence. Beast's own limit would also drop a viewer that reads slowly, because the answer to
  // a ping comes after all that was sent before. And Beast tells an error to the other end before it tells us, without a
  // limit: there, too, nothing is heard and nothing sent.
  void watch() {
    watch_.start(serving_.limits.silence / kLooks, [this] {
      const bool is_waited_for = !session_.may_read();  // we do not read: it cannot be heard
      quiet_looks_ = is_waited_for ? 0 : quiet_looks_ + 1;
      if (quiet_looks_ == kLooks) return refuse_and_drop(Refusal::unread);
      if (quiet_looks_ == kLooks / 2) ping();
      watch();
    });
  }

  void ping() {
    if (std::exchange(is_pinging_, true) || !socket_->is_open()) return;
    socket_->async_ping({}, [self = this->shared_from_this()](AsioError) { self->is_pinging_ = false; });
  }

  void configure_socket() {
    socket_->set_option(websocket::stream_base::timeout{serving_.limits.header, websocket::stream_base::none(), false});
    socket_->set_option(websocket::permessage_deflate{});  // off: its memory would be the viewer's choice
    socket_->set_option(websocket::stream_base::decorator([](websocket::response_type& response) {
      response.set(http::field::cache_control, "no-store");
      response.set("Content-Security-Policy", beast::string_view(empty_policy().data(), empty_policy().size()));
      response.set("X-Content-Type-Options", "nosniff");
      response.set("Referrer-Policy", "no-referrer");
      response.set("Cross-Origin-Resource-Policy", "same-origin");
    }));
    socket_->control_callback([this](websocket::frame_type, beast::string_view) { quiet_looks_ = 0; });
    socket_->read_message_max(serving_.limits.message_bytes_max);
    socket_->auto_fragment(false);
  }

  asio::awaitable<void> read_socket() {
    while (!is_dropped_ && !close_reason_) {
      AsioError failed;
      if (!session_.may_read()) {
        co_await resumed_.async_wait(asio::redirect_error(asio::use_awaitable, failed));
        continue;
      }
      beast::flat_buffer message;
      co_await socket_->async_read(message, asio::redirect_error(asio::use_awaitable, failed));
      if (is_dropped_) co_return;
      if (failed) {
        const auto why = refusal_of_message(failed);
        if (why) serving_.counters.refuse(*why);
        co_return;
      }
      take_message({static_cast<const char*>(message.data().data()), message.size()});
    }
    // The writer closes. The rest of what the viewer sends has to be read for its part of the closing.
    while (!is_dropped_) {
      beast::flat_buffer ignored;
      AsioError failed;
      co_await socket_->async_read(ignored, asio::redirect_error(asio::use_awaitable, failed));
      if (failed) co_return;
    }
  }

  void take_message(std::string_view text) {
    quiet_looks_ = 0;
    if (socket_->got_binary()) return close_socket("requests are text");
    const auto taken = session_.take(std::string(text));
    if (!taken) return close_socket(taken.error().what);
    if (*taken) {
      serving_.counters.add(&ServerCounters::requests);
    } else {
      serving_.counters.refuse(Refusal::open_requests);
    }
    ask_next();
    ready_.cancel();
  }

  void close_socket(std::string_view why) {
    serving_.counters.refuse(Refusal::request);
    close_reason_ = std::string(why.substr(0, kCloseReasonBytesMax));
    ready_.cancel();
  }

  void ask_next() {
    while (auto next = session_.next_question()) {
      const auto done = answer_in(serving_.context, next->id, [weak = this->weak_from_this()](Encoded answer) {
        if (const Self self = weak.lock()) self->take_answer(std::move(answer));
      });
      serving_.answerer.ask(number_, [request = std::move(next->request), done](RequestHandler& handler) {
        answer(handler, request, done);
      });
    }
  }

  void take_answer(Encoded answer) {
    if (is_dropped_) return;
    count(answer);
    session_.take_answer(std::move(answer.message));
    ask_next();
    ready_.cancel();
    resumed_.cancel();
  }

  asio::awaitable<void> write_socket([[maybe_unused]] Self self) {
    AsioError ignored;
    while (!is_dropped_ && !close_reason_) {
      if (!session_.has_unsent()) {
        co_await ready_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        continue;
      }
      co_await send_first();
      if (is_dropped_) co_return;
      note_sent();
    }
    if (is_dropped_) co_return;
    deadline_.start(kFarewell, [this] { drop(); });
    const websocket::close_reason why(websocket::close_code::policy_error, *close_reason_);
    co_await socket_->async_close(why, asio::redirect_error(asio::use_awaitable, ignored));
  }

  asio::awaitable<void> send_first() {
    const SocketMessage& message = session_.first_unsent().message;
    std::string_view rest = message.bytes;
    socket_->binary(message.is_binary);
    while (!rest.empty() && !is_dropped_) {
      const auto piece = rest.substr(0, kPieceBytes);
      rest.remove_prefix(piece.size());
      unread_.start(serving_.limits.unread, [this] { refuse_and_drop(Refusal::unread); });
      AsioError failed;
      co_await socket_->async_write_some(rest.empty(), asio::buffer(piece),
                                         asio::redirect_error(asio::use_awaitable, failed));
      unread_.cancel();
      quiet_looks_ = 0;
      if (failed) drop();
    }
  }

  void note_sent() {
    const auto& first = session_.first_unsent();
    const bool is_tick = first.kind == ViewerSession::Unsent::Kind::tick;
    serving_.counters.change([&, bytes = first.message.bytes.size()](ServerCounters& counters) {
      ++counters.frames;
      counters.bytes += bytes;
      if (is_tick) ++counters.ticks;
    });
    session_.sent();
    ask_next();
    resumed_.cancel();
  }

  Serving& serving_;
  const std::uint64_t number_;
  Stream stream_;
  Timer deadline_;                      // of what is being read or waited for
  Timer unread_;                        // of what is being sent
  Timer watch_;                         // of a viewer
  asio::steady_timer resumed_, ready_;  // never expire: cancelling wakes the coroutine that waits
  beast::flat_buffer in_;
  HttpAnswer answer_;
  bool has_answer_ = false;
  std::optional<websocket::stream<Stream&>> socket_;
  ViewerSession session_;
  std::optional<std::string> close_reason_;
  int quiet_looks_ = 0;  // in which nothing was heard, and nothing was taken
  bool is_pinging_ = false;
  bool is_viewer_ = false, is_dropped_ = false;
};

}  // namespace dpm::view
