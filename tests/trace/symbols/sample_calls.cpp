#include "tests/trace/symbols/sample_calls.hpp"

namespace sample {
namespace {

[[gnu::noinline]] std::uint64_t return_address() {
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}

[[gnu::always_inline]] inline Call inlined_helper() { return {return_address(), __LINE__}; }

}  // namespace

Call plain_call() { return {return_address(), __LINE__}; }

Call call_in_inlined_function() { return inlined_helper(); }

Call Clock::method(int) const { return {return_address(), __LINE__}; }

}  // namespace sample

extern "C" sample::Call sample_c_call() {
  const sample::Call call = sample::plain_call();
  return {call.pc, call.line};
}
