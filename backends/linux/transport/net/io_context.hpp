// What waits for everything in a process of transport and remote: one io_context, run by one thread. Headers name it
// without including Boost.Asio, which takes three seconds a file; asio.hpp is for the .cpp files that use it.
#pragma once

namespace boost::asio {
class io_context;
}

namespace dpm {
namespace asio = boost::asio;
}
