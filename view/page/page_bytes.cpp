#include "view/page/page_bytes.hpp"

// The assembler includes the file: a literal of this size takes the compiler much longer.
asm(R"(
.section .rodata
.global dpm_page_begin
.global dpm_page_end
dpm_page_begin:
.incbin ")" DPM_PAGE_FILE R"("
dpm_page_end:
.byte 0
.previous
)");

extern "C" {
extern const char dpm_page_begin[];
extern const char dpm_page_end[];
}

namespace dpm::view {

std::string_view page_bytes() { return {dpm_page_begin, static_cast<std::size_t>(dpm_page_end - dpm_page_begin)}; }

}  // namespace dpm::view
