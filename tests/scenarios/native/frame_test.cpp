#include "scenarios/native/frame.hpp"

#include <cstddef>
#include <cstring>

#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::native;

namespace {

const RunIdentity kRun{42, 3};

FrameHeader header_of(std::uint32_t code, std::uint32_t length_bytes) {
  FrameHeader header;
  header.token = kRun.token;
  header.code = code;
  header.length_bytes = length_bytes;
  return header;
}

std::vector<std::byte> frames(std::initializer_list<FrameHeader> headers) {
  std::vector<std::byte> bytes;
  for (const auto& header : headers) {
    const auto frame = encode(header, {});
    bytes.insert(bytes.end(), frame.begin(), frame.end());
  }
  return bytes;
}

std::vector<std::uint32_t> codes(const std::vector<FrameHeader>& headers) {
  std::vector<std::uint32_t> found;
  for (const auto& header : headers) found.push_back(header.code);
  return found;
}

}  // namespace

TEST_CASE("native: the headers of whole and of cut frames are found, one after the other", "[native]") {
  const auto bytes = frames({header_of(1, 10), header_of(2, 0), header_of(3, 1000)});
  for (std::size_t there = 0; there <= bytes.size(); ++there) {
    std::vector<FrameHeader> headers;
    REQUIRE(decode_headers(kRun, std::span(bytes).first(there), 0, headers));
    const std::size_t second = 104 + 10, third = second + 104;
    CHECK(headers.size() == (there >= third + 104 ? 3u : there >= second + 104 ? 2u : there >= 104 ? 1u : 0u));
  }
  std::vector<FrameHeader> rest;
  REQUIRE(decode_headers(kRun, bytes, 104 + 10, rest));
  CHECK(codes(rest) == std::vector<std::uint32_t>{2, 3});
  rest.clear();
  CHECK(decode_headers(kRun, bytes, bytes.size() + 5000, rest));  // of a long message only the beginning is there
  CHECK(rest.empty());
}

TEST_CASE("native: what is not of this run is refused", "[native]") {
  const auto refused = [](auto change) {
    FrameHeader header = header_of(1, 10);
    change(header);
    std::vector<FrameHeader> headers;
    const auto bytes = frames({header});
    return !decode_headers(kRun, bytes, 0, headers) && headers.empty();
  };
  CHECK_FALSE(refused([](FrameHeader&) {}));
  CHECK(refused([](FrameHeader& header) { header.token = 41; }));
  CHECK(refused([](FrameHeader& header) { header.sender = 3; }));
  CHECK(refused([](FrameHeader& header) { header.kind = static_cast<FrameKind>(5); }));
  CHECK(refused([](FrameHeader& header) { header.kind = static_cast<FrameKind>(0); }));
  CHECK(refused([](FrameHeader& header) { header.passed_owner = 3; }));

  auto bytes = frames({header_of(1, 10)});
  const std::uint32_t more_data_than_length = 11;
  std::memcpy(bytes.data() + offsetof(FrameHeader, data_bytes), &more_data_than_length, sizeof more_data_than_length);
  std::vector<FrameHeader> headers;
  CHECK_FALSE(decode_headers(kRun, bytes, 0, headers));
}

TEST_CASE("native: a link travels with its rights", "[native]") {
  FrameHeader header = header_of(1, 0);
  CHECK_FALSE(header.passed());
  header.pass({2, 5, 0, std::nullopt});
  CHECK(header.passed()->owner == 2);
  CHECK(header.passed()->channel == 5);
  CHECK_FALSE(header.passed()->area);
  header.pass({1, 6, 9, DataArea{10, 20, true, false}});
  CHECK(header.passed()->answers_call == 9);
  CHECK(header.passed()->area->offset_bytes == 10);
  CHECK(header.passed()->area->size_bytes == 20);
  CHECK(header.passed()->area->read);
  CHECK_FALSE(header.passed()->area->write);
}
