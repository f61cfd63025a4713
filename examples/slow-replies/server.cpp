// A server with two integers that can be seen from outside: the connection that it accepted, and the one that it replied to. It
// understands as much of redis's language as try_server.py says: PING, DEBUG SLEEP SECONDS and SHUTDOWN.
//
// The integers have the names by which the same script finds them in a server that was not made for it: the result of accept4, and
// the first argument of write.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dpm/monitor/integer.hpp>
#include <string>

dpm::monitor::Monitor monitor;

static int listen_at(int port) {
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<unsigned short>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool is_ready =
      bind(server, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 && listen(server, 16) == 0;
  return is_ready ? server : -1;
}

static std::string line_from(int client) {
  std::string line;
  for (char letter = 0; read(client, &letter, 1) == 1 && letter != '\n';)
    if (letter != '\r') line += letter;
  return line;
}

// What redis replies.
static std::string reply_to(const std::string& line) {
  if (line == "PING") return "+PONG\r\n";
  const std::string sleep = "DEBUG SLEEP ";
  if (line.rfind(sleep, 0) != 0) return "-ERR unknown command\r\n";
  usleep(static_cast<useconds_t>(std::atof(line.c_str() + sleep.size()) * 1e6));
  return "+OK\r\n";
}

int main(int argc, char* argv[]) {
  int port = 7391;
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], "--port") == 0) port = std::atoi(argv[i + 1]);
  const int server = listen_at(port);
  if (server < 0) return std::perror("server"), 1;
  dpm::monitor::Integer<int> accepted(&monitor, "accept4", "result", -1);
  dpm::monitor::Integer<int> replied(&monitor, "write", "arg1", -1);
  for (;;) {
    const int client = accept4(server, nullptr, nullptr, SOCK_CLOEXEC);
    accepted = client;
    const std::string line = line_from(client);
    if (line == "SHUTDOWN NOSAVE") return 0;
    const std::string reply = reply_to(line);
    replied = client;
    if (write(client, reply.data(), reply.size()) < 0) std::perror("server");
    close(client);
  }
}
