// Pre-shared keys in the form that TLS uses (tls_stream.hpp). Does not include Boost.Asio or OpenSSL.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "model/result.hpp"
#include "os/net/io_context.hpp"

namespace boost::asio::ssl {
class context;
}

namespace dpm {

enum class TlsRole { client, server };

class TlsContext {
 public:
  // Keys are 64 hexadecimal digits.
  static Result<TlsContext> client(std::string identity, const std::string& key);
  // The key of an identity that a client offers; nothing if it is not one.
  using FindKey = std::function<std::optional<std::string>(std::string_view identity)>;
  static Result<TlsContext> server(FindKey find_key);
  TlsContext(TlsContext&&) noexcept;
  TlsContext& operator=(TlsContext&&) noexcept;
  ~TlsContext();

  asio::ssl::context& asio();  // for streams, which the context must outlive
  TlsRole role() const;

 private:
  struct State;
  static Result<TlsContext> create(std::unique_ptr<State> state);
  explicit TlsContext(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dpm
