#include "view/server/stream_connection.hpp"

namespace dpm::view {
namespace {

std::optional<std::string_view> only_header(const RequestParser& parser, http::field name) {
  if (parser.get().count(name) != 1) return std::nullopt;
  return plain(parser.get()[name]);
}

// The other end has gone, or we have closed the connection.
bool is_end(AsioError failed) {
  return failed == asio::error::eof || failed == asio::error::connection_reset || failed == asio::error::broken_pipe ||
         failed == asio::error::operation_aborted || failed == asio::error::bad_descriptor ||
         failed == asio::ssl::error::stream_truncated || failed == http::error::end_of_stream;
}

}  // namespace

std::optional<Refusal> refusal_of_header(AsioError failed) {
  if (is_end(failed)) return std::nullopt;
  const bool is_too_long = failed == http::error::header_limit || failed == http::error::buffer_overflow;
  return is_too_long ? Refusal::header : Refusal::malformed;
}

std::optional<Refusal> refusal_of_message(AsioError failed) {
  if (failed == websocket::error::closed || is_end(failed)) return std::nullopt;
  if (failed == websocket::error::message_too_big) return Refusal::message;
  return Refusal::malformed;
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

}  // namespace dpm::view
