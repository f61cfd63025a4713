// A server under load: redis, while its own benchmark talks to it.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "backends/linux/custody/acquire/acquire.hpp"
#include "backends/linux/custody/keeper/keeper.hpp"
#include "tests/backends/linux/custody/acquire/target_process.hpp"
#include "tests/backends/linux/custody/acquire/test_supervisor.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

// Free a moment ago; redis does not tell which port it has if it is to choose itself.
int free_port() {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  REQUIRE(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length) == 0);
  return ntohs(address.sin_port);
}

bool accepts(int port) {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

bool has_redis() {
  return ::access("/usr/bin/redis-server", X_OK) == 0 && ::access("/usr/bin/redis-benchmark", X_OK) == 0;
}

}  // namespace

TEST_CASE("acquire: redis under load is acquired and let go, and none of its clients sees an error", "[linux]") {
  if (!has_redis()) {
    WARN("SKIPPED: redis-server and redis-benchmark are not installed");
    return;
  }
  const std::string port = std::to_string(free_port());
  TargetProcess server({"/usr/bin/redis-server", "--port", port, "--save", "", "--appendonly", "no", "--io-threads",
                        "2", "--bind", "127.0.0.1"});
  REQUIRE(becomes_true([&] { return accepts(std::stoi(port)); }));
  // Rounds until its input ends, and the one that is under way then.
  const std::string round =
      "redis-benchmark -p " + port + " -t set,get -c 20 -n 5000 -q -d 100 </dev/null 3<&- || exit 1; ";
  TargetProcess load({"/bin/sh", "-c",
                      "trap last=1 USR1; exec 3<&0; (read -r nothing <&3; kill -USR1 $$) & last=; "
                      "while [ -z \"$last\" ]; do " +
                          round + "done"});
  REQUIRE(await_writing(server.pid(), 10'000));

  auto program = acquire(server.pid(), {});
  if (!program) FAIL(program.error().what);
  {
    TestSupervisor supervisor(duplicate(program->listener));
    CHECK(becomes_true([&] { return supervisor.calls() > 500; }));
  }
  REQUIRE(leave_to_keeper(*program));
  CHECK(await_writing(server.pid(), 10'000));
  load.close_input();
  const std::string said = load.read_rest();
  CHECK(said.find("SET: ") != std::string::npos);
  CHECK(said.find("GET: ") != std::string::npos);
  CHECK(said.find("rror") == std::string::npos);
  CHECK(load.wait_for_end() == 0);
  CHECK(accepts(std::stoi(port)));
}

}  // namespace dpm
