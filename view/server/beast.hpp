// Boost.Beast: HTTP and WebSocket, over TCP and TLS. Only this file includes <boost/beast/...>. It takes seconds to compile,
// so few files include it.
#pragma once

#include "os/net/asio.hpp"
// Beast includes the headers of Asio that asio.hpp prepares.
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>

namespace dpm::view {
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
}  // namespace dpm::view
