#include "control/transport/link/connect.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <vector>

#include "os/net/timer.hpp"

namespace dpm {
namespace {

using asio::ip::tcp;

// Without this, a connection whose other end has silently gone waits a quarter of an hour.
void prepare(int socket) {
  const int on = 1, idle_s = 10, pause_s = 5, tries = 3, unanswered_ms = 30'000;
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &pause_s, sizeof pause_s);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &tries, sizeof tries);
  ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_ms, sizeof unanswered_ms);
}

// Collectors give numeric addresses, which need no resolver: that would cost a thread.
asio::awaitable<AsioError> find_addresses(asio::io_context& context, const std::string& host, std::uint16_t port,
                                          std::vector<tcp::endpoint>& found) {
  AsioError failed;
  const auto address = asio::ip::make_address(host, failed);
  if (!failed) {
    found.emplace_back(address, port);
    co_return failed;
  }
  failed = {};
  tcp::resolver resolver(context);
  const auto results =
      co_await resolver.async_resolve(host, std::to_string(port), asio::redirect_error(asio::use_awaitable, failed));
  for (const auto& result : results) found.push_back(result.endpoint());
  co_return failed;
}

}  // namespace

asio::awaitable<std::string> connect_to(asio::io_context& context, tcp::socket& socket, std::string host,
                                        std::uint16_t port, std::chrono::milliseconds patience) {
  std::vector<tcp::endpoint> addresses;
  const AsioError unknown = co_await find_addresses(context, host, port, addresses);
  if (unknown) co_return fmt::format("{}: {}", host, unknown.message());
  std::string problem = "it has no address";
  for (const auto& address : addresses) {
    AsioError failed;
    socket.open(address.protocol(), failed);
    if (failed) co_return "make a socket: " + failed.message();
    prepare(socket.native_handle());
    AsioError ignored;
    bool is_late = false;
    Timer timer(context);
    timer.start(patience, [&] {
      is_late = true;
      socket.close(ignored);
    });
    co_await socket.async_connect(address, asio::redirect_error(asio::use_awaitable, failed));
    if (!failed) co_return "";
    problem = is_late ? "no answer" : failed.message();
    if (!is_late && !socket.is_open()) break;  // the caller has closed it
    socket.close(ignored);
  }
  co_return fmt::format("connect to {} port {}: {}", host, port, problem);
}

}  // namespace dpm
