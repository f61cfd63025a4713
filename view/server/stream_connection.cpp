#include "view/server/stream_connection.hpp"

namespace dpm::view {
namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;
constexpr std::size_t kCloseReasonBytesMax = 120;  // RFC 6455 5.5: a control frame has 125 bytes
constexpr std::size_t kLeftoverBytesMax = 1024 * 1024;
constexpr std::chrono::seconds kFarewell{2};
constexpr int kLooks = 4;  // for a sign of life of a viewer

std::string_view plain(beast::string_view text) { return {text.data(), text.size()}; }

std::optional<std::string_view> only_header(const RequestParser& parser, http::field name) {
  if (parser.get().count(name) != 1) return std::nullopt;
  return plain(parser.get()[name]);
}

// The other end has gone, or we have closed the connection.
bool is_end(AsioError failed) {
  return failed == asio::error::eof || failed == asio::error::connection_reset || failed == asio::error::broken_pipe ||
         failed == asio::error::operation_aborted || failed == asio::error::bad_descriptor ||
         failed == asio::ssl::error::stream_truncated || failed == http::error::end_of_stream ||
         failed == websocket::error::closed;
}

Knock knock_of(const RequestParser& parser) {
  const auto& request = parser.get();
  Knock knock;
  knock.method = plain(request.method_string());
  knock.target = plain(request.target());
  knock.host = only_header(parser, http::field::host);
  knock.origin = only_header(parser, http::field::origin);
  knock.has_origin = request.count(http::field::origin) > 0;
  knock.wants_socket = websocket::is_upgrade(request);
  const auto length = parser.content_length();
  knock.has_body = parser.chunked() || (length && *length > 0);
  return knock;
}

unsigned version_of(const RequestParser& parser) { return parser.get().version(); }

// What was refused when a message could not be read. Nothing: the other end has closed the connection, as it may.
std::optional<Refusal> refusal_of(AsioError failed) {
  if (is_end(failed)) return std::nullopt;
  if (failed == http::error::header_limit || failed == http::error::buffer_overflow) return Refusal::header;
  if (failed == websocket::error::message_too_big) return Refusal::message;
  return Refusal::malformed;
}

// An answer, also a later one in another thread, comes back as a call of `then` in the io_context's thread. The thread that
// completes the answer encodes it: as a message of a WebSocket with the id, or as the content of a response.
RequestHandler::Done answer_in(std::shared_ptr<asio::io_context> context, std::optional<std::uint64_t> id,
                               std::function<void(Encoded)> then) {
  return answer_once([context = std::move(context), id, then = std::move(then)](const Result<Answer>& answer) {
    Encoded encoded{{}, !answer};
    if (id) {
      encoded.message = answer ? answer_message(*id, *answer) : error_message(*id, answer.error().what);
    } else {
      encoded.message.bytes = answer ? to_json(*answer) : error_json(answer.error().what);
    }
    later(*context, [then, encoded = std::move(encoded)]() mutable { then(std::move(encoded)); });
  });
}

}  // namespace

StreamConnection::StreamConnection(Serving& serving, std::uint64_t number, UniqueFd socket, asio::ssl::context* tls)
    : serving_(serving),
      number_(number),
      stream_(asio::ip::tcp::socket(*serving.context, asio::ip::tcp::v6(), socket.release()), tls),
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

std::shared_ptr<Connection> new_connection(Serving& serving, std::uint64_t number, UniqueFd socket,
                                           asio::ssl::context* tls) {
  return std::make_shared<StreamConnection>(serving, number, std::move(socket), tls);
}

void StreamConnection::begin() { spawn(*serving_.context, converse(shared_from_this())); }

void StreamConnection::drop() {
  if (std::exchange(is_dropped_, true)) return;
  deadline_.cancel();
  unread_.cancel();
  watch_.cancel();
  AsioError ignored;
  stream_.next_layer().close(ignored);
  resumed_.cancel();
  ready_.cancel();
  serving_.answerer.forget(number_);
  if (is_viewer_) serving_.counters.subtract(&ServerCounters::viewers);
  serving_.on_end(number_, is_viewer_);
}

ViewerSession::Offered StreamConnection::offer_tick(const SocketMessage& tick, std::uint64_t version) {
  if (!is_viewer_ || close_reason_) return ViewerSession::Offered::known;
  const auto offered = session_.offer_tick(tick, version);
  if (offered == ViewerSession::Offered::taken) ready_.cancel();
  return offered;
}

asio::awaitable<void> StreamConnection::converse([[maybe_unused]] Self self) {
  deadline_.start(serving_.limits.header, [this] { refuse_and_drop(Refusal::slow); });
  const AsioError stranger = co_await stream_.shake_hands();
  if (stranger && !is_dropped_) serving_.counters.refuse(Refusal::malformed);
  bool goes_on = !stranger;
  while (goes_on && !is_dropped_) {
    const bool is_kept = co_await exchange();
    goes_on = is_kept;
  }
  drop();
}

void StreamConnection::refuse_and_drop(Refusal why) {
  serving_.counters.refuse(why);
  drop();
}

asio::awaitable<bool> StreamConnection::exchange() {
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
    const auto why = refusal_of(failed);
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

asio::awaitable<void> StreamConnection::refuse(Refusal why, const RequestParser& parser) {
  serving_.counters.refuse(why);
  ResponseHead head{.status = status_of(why), .policy = empty_policy(), .keeps_connection = false};
  if (why == Refusal::method) head.more_headers = "Allow: GET, HEAD\r\n";
  head.http_version = version_of(parser);
  const bool is_sent = co_await send(written(head));
  if (is_sent) co_await say_farewell();
}

asio::awaitable<bool> StreamConnection::serve(const Admission& admission, const RequestParser& parser) {
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

std::string StreamConnection::socket_origin(std::string_view host) const {
  // A policy cannot name an IPv6 address.
  return host.starts_with('[') ? "" : fmt::format("{}://{}", serving_.has_tls ? "wss" : "ws", host);
}

asio::awaitable<bool> StreamConnection::send(std::string_view bytes) {
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

asio::awaitable<void> StreamConnection::say_farewell() {
  deadline_.start(kFarewell, [this] { drop(); });
  AsioError failed;
  stream_.next_layer().shutdown(asio::ip::tcp::socket::shutdown_send, failed);
  std::string rest(kPieceBytes, '\0');
  for (std::size_t read = 0; !failed && !is_dropped_ && read < kLeftoverBytesMax;) {
    const std::size_t length = co_await stream_.next_layer().async_receive(
        asio::buffer(rest), asio::redirect_error(asio::use_awaitable, failed));
    read += length;
  }
}

void StreamConnection::ask(const Admission& admission) {
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
  const auto done = answer_in(serving_.context, std::nullopt, [weak = weak_from_this()](Encoded answer) {
    if (const Self self = weak.lock()) self->take_http_answer(std::move(answer));
  });
  serving_.answerer.ask(number_,
                        [request = *request, done](RequestHandler& handler) { answer(handler, request, done); });
}

void StreamConnection::ask_metrics() {
  serving_.answerer.ask(number_, [&counters = serving_.counters, context = serving_.context,
                                  weak = weak_from_this()](RequestHandler& handler) {
    auto families = metrics_of(counters.read());
    for (auto& family : handler.metrics()) families.push_back(std::move(family));
    later(*context, [weak, text = prometheus_text(families)] {
      if (const Self self = weak.lock()) self->take_http_answer({{false, text}, false});
    });
  });
}

void StreamConnection::take_http_answer(Encoded answer) {
  count(answer);
  answer_ = {answer.is_error ? 400u : 200u, std::move(answer.message.bytes)};
  has_answer_ = true;
  ready_.cancel();
}

void StreamConnection::count(const Encoded& answer) {
  serving_.counters.add(answer.is_error ? &ServerCounters::errors : &ServerCounters::answers);
}

asio::awaitable<bool> StreamConnection::answer_arrives() {
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

asio::awaitable<void> StreamConnection::serve_socket(const RequestParser& parser) {
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
  spawn(*serving_.context, write_socket(shared_from_this()));
  serving_.on_new_viewer();
  watch();
  co_await read_socket();
  if (!is_dropped_) co_await say_farewell();
}

void StreamConnection::watch() {
  watch_.start(serving_.limits.silence / kLooks, [this] {
    const bool is_waited_for = !session_.may_read();  // we do not read: it cannot be heard
    quiet_looks_ = is_waited_for ? 0 : quiet_looks_ + 1;
    if (quiet_looks_ == kLooks) return refuse_and_drop(Refusal::unread);
    if (quiet_looks_ == kLooks / 2) ping();
    watch();
  });
}

void StreamConnection::ping() {
  if (std::exchange(is_pinging_, true) || !socket_->is_open()) return;
  socket_->async_ping({}, [self = shared_from_this()](AsioError) { self->is_pinging_ = false; });
}

void StreamConnection::configure_socket() {
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

asio::awaitable<void> StreamConnection::read_socket() {
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
      const auto why = refusal_of(failed);
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

void StreamConnection::take_message(std::string_view text) {
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

void StreamConnection::close_socket(std::string_view why) {
  serving_.counters.refuse(Refusal::request);
  close_reason_ = std::string(why.substr(0, kCloseReasonBytesMax));
  ready_.cancel();
}

void StreamConnection::ask_next() {
  while (auto next = session_.next_question()) {
    const auto done = answer_in(serving_.context, next->id, [weak = weak_from_this()](Encoded answer) {
      if (const Self self = weak.lock()) self->take_answer(std::move(answer));
    });
    serving_.answerer.ask(number_, [request = std::move(next->request), done](RequestHandler& handler) {
      answer(handler, request, done);
    });
  }
}

void StreamConnection::take_answer(Encoded answer) {
  if (is_dropped_) return;
  count(answer);
  session_.take_answer(std::move(answer.message));
  ask_next();
  ready_.cancel();
  resumed_.cancel();
}

asio::awaitable<void> StreamConnection::write_socket([[maybe_unused]] Self self) {
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

asio::awaitable<void> StreamConnection::send_first() {
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

void StreamConnection::note_sent() {
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

}  // namespace dpm::view
