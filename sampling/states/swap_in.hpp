// Whether a wait for a page is one for a page of swap. The kernel waits in the same function for all pages; the functions that called
// it tell them apart.
#pragma once

#include <string_view>

namespace dpm::sampling {

// The wait channel of such a wait, to which the rest of the stack belongs.
bool is_wait_for_page(std::string_view wchan);
// A function that only brings pages of swap.
bool is_swap_in(std::string_view function);
// The text of /proc/PID/stack: lines such as "[<0>] do_swap_page+0x3f2/0x1a40". Empty, or the first function that is_swap_in().
std::string_view swap_in_of_stack(std::string_view text);

}  // namespace dpm::sampling
