// Which bytes are UTF-8.
#include "model/utf8.hpp"

#include "tests/support/catch.hpp"

namespace dpm {

TEST_CASE("utf8: the first and last code point of each length", "[os]") {
  for (const char* text : {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    CHECK(is_utf8(text));
}

TEST_CASE("utf8: overlong forms, surrogates, numbers that are too large, and parts of characters are refused", "[os]") {
  for (const char* text :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xc2", "\xe0\xa0", "\xf0\x90\x80", "\xc2\x61"})
    CHECK_FALSE(is_utf8(text));
}

}  // namespace dpm
