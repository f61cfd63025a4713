// A filter's secret in the form that TLS uses (tls_stream.hpp). Does not include Boost.Asio or OpenSSL.
#pragma once

#include <memory>
#include <string>

#include "backends/linux/transport/net/io_context.hpp"
#include "model/result.hpp"

namespace boost::asio::ssl {
class context;
}

namespace dpm {

enum class TlsRole { client, server };

class TlsContext {
 public:
  // `secret` is 64 hexadecimal digits.
  static Result<TlsContext> create(TlsRole role, const std::string& secret);
  TlsContext(TlsContext&&) noexcept;
  TlsContext& operator=(TlsContext&&) noexcept;
  ~TlsContext();

  asio::ssl::context& asio();  // for streams, which the context must outlive
  TlsRole role() const;

 private:
  struct State;
  explicit TlsContext(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dpm
