// Each process of control/ has one io_context, run by one thread, which does all waiting. Headers declare it
// without including Boost.Asio, which takes three seconds a file; .cpp files that use it include asio.hpp.
#pragma once

namespace boost::asio {
class io_context;
}

namespace dpm {
namespace asio = boost::asio;
}
