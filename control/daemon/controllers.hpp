// The controllers that are connected to a daemon: their connections, names and requests.
//
// A controller says Hello first, with a name unlike any other's. When it connects again under that name and with the same
// name for this machine, the new connection replaces the old one, which has not noticed its end yet. With another name
// for this machine it keeps both until it knows that they lead to the same daemon; the older one gets the reports.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "control/daemon/file_requests.hpp"
#include "control/messages/message_stream.hpp"
#include "os/net/timer.hpp"

namespace dpm {

class Controllers {
 public:
  // A reply to a controller that has gone is dropped.
  struct RequestId {
    std::uint64_t connection = 0, number = 0;
  };
  struct Handlers {
    std::function<void(const std::string& controller, RequestId)> on_hello;  // to be answered by Welcome
    std::function<void(const std::string& controller, RequestId, control::RequestBody)> on_request;
    std::function<void(const std::string& controller)> on_gone;
    std::function<void(const std::string& controller)> on_drained;  // it has taken everything that was sent
    std::function<void()> on_change;                                // a connection came or went
  };

  // `hello_patience`: how long a peer may take to say Hello.
  Controllers(asio::io_context& context, std::chrono::seconds hello_patience, Handlers handlers);

  void accept(UniqueFd socket);
  bool empty() const { return connections_.empty(); }
  bool is_connected(const std::string& controller) const { return find(controller) != nullptr; }
  bool is_connected(RequestId id) const { return connections_.contains(id.connection); }
  FileUploads& uploads(RequestId id) { return connections_.at(id.connection).uploads; }

  void reply(RequestId id, control::ReplyBody body);
  // False if the controller takes reports too slowly: what its processes print should wait until on_drained.
  bool report(const std::string& controller, control::ReportBody body);

 private:
  struct Connection {
    std::uint64_t id = 0;
    std::string name;      // of the controller; empty before its Hello
    std::string known_as;  // the controller's name for this machine
    std::unique_ptr<MessageStream> stream;
    std::unique_ptr<Timer> hello_timer;
    FileUploads uploads;
  };

  const Connection* find(const std::string& controller) const;
  void drop(std::uint64_t id, const std::string& why, bool broken);
  void on_request(Connection& connection, control::Request request);
  void greet(Connection& connection, std::uint64_t number, const control::Hello& hello);

  asio::io_context& context_;
  std::chrono::seconds hello_patience_;
  Handlers handlers_;
  std::map<std::uint64_t, Connection> connections_;
  std::uint64_t next_id_ = 1;
  std::uint64_t dropped_peers_ = 0;
};

}  // namespace dpm
