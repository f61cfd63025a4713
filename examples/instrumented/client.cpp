// S3 figure 3.2: a client that sends a string to its server; once, or some times as fast as it can (S3 test 5.1.3).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dpm/monitor/socket.hpp>

dpm::monitor::Monitor monitor;

int main(int argc, char* argv[]) {
  const int port = argc > 1 ? std::atoi(argv[1]) : 30000;
  const char* message = argc > 2 ? argv[2] : "This is the client talking";
  const int times = argc > 3 ? std::atoi(argv[3]) : 1;
  dpm::monitor::Socket connect(&monitor, "global", "Connect");
  for (int i = 0; i < times; ++i) {
    if (!connect.open(static_cast<unsigned short>(port), "localhost")) return std::perror("client"), 1;
    connect.write(message, std::strlen(message));
    connect.close();
  }
  return 0;
}
