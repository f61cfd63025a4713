#include "view/server/stream_connection.hpp"

namespace dpm::view {

std::shared_ptr<Connection> plain_connection(Serving& serving, std::uint64_t number, UniqueFd socket) {
  return std::make_shared<StreamConnection<TcpStream>>(serving, number, std::move(socket));
}

}  // namespace dpm::view
