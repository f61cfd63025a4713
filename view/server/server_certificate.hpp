// TLS 1.2 or later, with the certificate of a server.
#pragma once

#include <memory>
#include <string>

#include "model/result.hpp"

namespace boost::asio::ssl {
class context;
}

namespace dpm::view {

class ServerCertificate {
 public:
  // PEM files: the certificate with those it is signed with, and its key.
  static Result<ServerCertificate> read(const std::string& certificate_file, const std::string& key_file);
  ServerCertificate(ServerCertificate&&) noexcept;
  ServerCertificate& operator=(ServerCertificate&&) noexcept;
  ~ServerCertificate();

  boost::asio::ssl::context& context() { return *context_; }

 private:
  explicit ServerCertificate(std::unique_ptr<boost::asio::ssl::context> context);
  std::unique_ptr<boost::asio::ssl::context> context_;
};

}  // namespace dpm::view
