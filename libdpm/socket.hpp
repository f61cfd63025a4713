// Sockets by name (S3 3.2, figures 3.2 and 3.3): TCP between a client and a server.
//
//   SocketServer request(&monitor, "main", "Request");     Socket connect(&monitor, "main", "Connect");
//   request.open(30000);                                    connect.open(30000, "localhost");
//   Socket connect(&monitor, "main", "Connect");            connect.write(text, bytes);
//   connect.open(request);
//   connect.read(buffer, sizeof buffer);
//
// What fails returns false or -1, with errno; an event is what succeeded.
#pragma once

#include <sys/types.h>

#include <dpm/monitor/object.hpp>

namespace dpm::monitor {

class SocketServer : private Named {
 public:
  SocketServer(Monitor* owner, const char* function, const char* name)
      : Named(owner, Kind::kSocketServer, function, name, true) {}
  ~SocketServer() { close(); }
  SocketServer(const SocketServer&) = delete;
  SocketServer& operator=(const SocketServer&) = delete;

  // Port 0: one that is free; port() tells which.
  bool open(unsigned short port, Report report = Report::kYes);
  void close(Report report = Report::kYes);
  unsigned short port() const;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

class Socket : private Named {
 public:
  Socket(Monitor* owner, const char* function, const char* name) : Named(owner, Kind::kSocket, function, name, true) {}
  ~Socket() { close(); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  bool open(unsigned short port, const char* host, Report report = Report::kYes);
  bool open(SocketServer& server, Report report = Report::kYes);  // waits for a client
  void close(Report report = Report::kYes);
  // As write(2) and read(2), but write() writes all; a broken connection is an error, not a signal.
  ssize_t write(const void* data, std::size_t bytes, Report report = Report::kYes);
  ssize_t read(void* buffer, std::size_t bytes, Report report = Report::kYes);
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

}  // namespace dpm::monitor
