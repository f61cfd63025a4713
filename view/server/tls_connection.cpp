#include "view/server/stream_connection.hpp"

namespace dpm::view {

std::shared_ptr<Connection> tls_connection(Serving& serving, std::uint64_t number, UniqueFd socket,
                                           asio::ssl::context& tls) {
  return std::make_shared<StreamConnection<TlsStream>>(serving, number, std::move(socket), tls);
}

}  // namespace dpm::view
