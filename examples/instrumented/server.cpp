// S3 figure 3.3: a server that prints what its clients say, until one says nothing.
#include <cstdio>
#include <cstdlib>
#include <dpm/monitor/socket.hpp>

dpm::monitor::Monitor monitor;

int main(int argc, char* argv[]) {
  const int port = argc > 1 ? std::atoi(argv[1]) : 30000;
  dpm::monitor::SocketServer request(&monitor, "global", "Request");
  if (!request.open(static_cast<unsigned short>(port))) return std::perror("server"), 1;
  for (;;) {
    dpm::monitor::Socket connect(&monitor, "global", "Connect");
    char buffer[256];
    if (!connect.open(request)) return 1;
    const ssize_t bytes = connect.read(buffer, sizeof buffer);
    if (bytes <= 0) return 0;
    std::printf("Message received from client: %.*s\n", static_cast<int>(bytes), buffer);
    std::fflush(stdout);
  }
}
