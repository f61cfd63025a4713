#include "text/bytes_text.hpp"

#include "tests/support/catch.hpp"

namespace dpm::test {

TEST_CASE("sizes: bytes without a unit, and units of 1024 in any case", "[text]") {
  struct Case {
    const char* text;
    std::uint64_t bytes;
  };
  for (const auto& [text, bytes] : {Case{"0", 0},
                                    {"100", 100},
                                    {"100B", 100},
                                    {"64k", 65536},
                                    {"64KiB", 65536},
                                    {"1.5M", 1'572'864},
                                    {"2gb", 2'147'483'648},
                                    {"1T", 1'099'511'627'776}}) {
    INFO(text);
    const auto read = bytes_from(text);
    REQUIRE(read);
    CHECK(*read == bytes);
  }
  for (const char* text : {"", "k", "-1", "1.2.3", "1 k", "nan", "1e3", "3q", "3kk", "3ib", ".", "9999999T"}) {
    INFO(text);
    CHECK_FALSE(bytes_from(text));
  }
}

}  // namespace dpm::test
