// A wait for a page of swap is told from that for another page by the functions that called it.
#include "sampling/states/swap_in.hpp"

#include "tests/support/catch.hpp"

namespace dpm::sampling {

TEST_CASE("swap: the stack of a wait for a page says whether it is one of swap", "[sampling]") {
  CHECK(is_wait_for_page("folio_wait_bit_common"));
  CHECK(is_wait_for_page("__folio_lock_or_retry"));
  CHECK_FALSE(is_wait_for_page("do_wait"));
  CHECK(swap_in_of_stack("[<0>] folio_wait_bit_common+0x1/0x2\n[<0>] do_swap_page+0x3f2/0x1a40\n[<0>] x+0x1/0x2\n") ==
        "do_swap_page");
  CHECK(swap_in_of_stack("[<0>] folio_wait_bit_common+0x1/0x2\n[<0>] filemap_fault+0x1/0x2\n").empty());
  CHECK(swap_in_of_stack("").empty());
  CHECK(swap_in_of_stack("do_swap_page").empty());
}

}  // namespace dpm::sampling
