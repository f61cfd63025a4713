// Boost.Asio, the one way in which transport and remote wait. The only home of <boost/asio/...>.
//
// Debian 12 has Boost 1.74 (Asio 1.18), without cancellation_signal and awaitable operators: a wait that takes too long
// ends because a Timer closes what is waited for. Its accept and socket calls know no CLOEXEC, so descriptors are made
// by us and given to it. GCC 12 compiles a co_await inside a condition or a larger expression wrongly in places: each
// stands in a statement of its own, whose result has a name.
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

#include "backends/linux/transport/net/io_context.hpp"

namespace dpm {

using AsioError = boost::system::error_code;

// Begins a coroutine that nothing waits for. What it throws is our mistake, and ends the process.
inline void spawn(asio::io_context& context, asio::awaitable<void> coroutine) {
  asio::co_spawn(context, std::move(coroutine), [](const std::exception_ptr& thrown) {
    if (thrown) std::rethrow_exception(thrown);
  });
}

// A file, which the kernel cannot wait for, is always ready.
inline bool is_ready(AsioError failed) { return !failed || failed == asio::error::operation_not_supported; }

// Until the socket or descriptor is ready; false once it is closed, and then it may be gone.
template <typename Object>
asio::awaitable<bool> until_ready(Object& object, typename Object::wait_type what) {
  AsioError failed;
  co_await object.async_wait(what, asio::redirect_error(asio::use_awaitable, failed));
  co_return is_ready(failed);
}

}  // namespace dpm
