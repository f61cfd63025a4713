// Boost.Asio, with which control/ and the page's server wait. Only this file includes <boost/asio/...>.
//
// Debian 12 has Boost 1.74 (Asio 1.18), without cancellation_signal and awaitable operators: a wait that takes too long
// is ended by a Timer that closes the socket. Its accept and socket calls lack CLOEXEC, so we make descriptors ourselves
// and assign them. GCC 12 miscompiles some co_awaits inside conditions or larger expressions: each stands in a statement
// of its own, whose result has a name.
#pragma once

// clang-format off: Boost 1.74 needs it, and does not include it
#include <utility>
// clang-format on

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <exception>

#include "os/net/io_context.hpp"

namespace dpm {

using AsioError = boost::system::error_code;

// Starts a coroutine that nothing waits for. An exception in it is our mistake, and ends the process.
inline void spawn(asio::io_context& context, asio::awaitable<void> coroutine) {
  asio::co_spawn(context, std::move(coroutine), [](const std::exception_ptr& thrown) {
    if (thrown) std::rethrow_exception(thrown);
  });
}

// The kernel cannot wait for a regular file, which is always ready.
inline bool is_ready(AsioError failed) { return !failed || failed == asio::error::operation_not_supported; }

// Waits until the socket or descriptor is ready. False: it was closed, and may be destroyed.
template <typename Object>
asio::awaitable<bool> until_ready(Object& object, typename Object::wait_type what) {
  AsioError failed;
  co_await object.async_wait(what, asio::redirect_error(asio::use_awaitable, failed));
  co_return is_ready(failed);
}

}  // namespace dpm
