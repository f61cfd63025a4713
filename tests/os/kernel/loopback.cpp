#include "tests/os/kernel/loopback.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>

#include "tests/support/catch.hpp"

namespace dpm {

Connection connect_on_loopback() {
  const UniqueFd listener(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* name = reinterpret_cast<sockaddr*>(&address);
  REQUIRE(::bind(listener.get(), name, length) == 0);
  REQUIRE(::listen(listener.get(), 1) == 0);
  REQUIRE(::getsockname(listener.get(), name, &length) == 0);
  Connection made;
  made.client = UniqueFd(::socket(AF_INET, SOCK_STREAM, 0));
  REQUIRE(::connect(made.client.get(), name, length) == 0);
  made.server = UniqueFd(::accept(listener.get(), nullptr, nullptr));
  REQUIRE(made.server.get() >= 0);
  return made;
}

}  // namespace dpm
