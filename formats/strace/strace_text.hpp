// The arguments of a call as strace prints them. Nothing inside a string, which is what the program sent, is taken for a field.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dpm {

// Of a call, the first ones; the others have no meaning here. Views point into the line.
struct StraceArguments {
  static constexpr std::size_t kMax = 6;

  std::array<std::string_view, kMax> list;
  std::size_t count = 0;

  std::string_view operator[](std::size_t n) const { return n < count ? list[n] : std::string_view(); }
};

// What a call was given and what it returned, from all that follows its "(".
struct StraceOutcome {
  StraceArguments arguments;
  std::int64_t result = 0;
  std::string_view result_note;             // "<TCP:[...]>", "EAGAIN (Resource temporarily unavailable)"
  std::optional<std::int64_t> duration_ns;  // with -T
};
// None: it did not return a number.
std::optional<StraceOutcome> parse_outcome(std::string_view text);

// The arguments as far as the text goes, for a call that has not returned.
StraceArguments parse_arguments(std::string_view text);

// Where `wanted` is, outside of strings, from `from` on; npos: nowhere.
std::size_t find_field(std::string_view text, std::string_view wanted, std::size_t from = 0);

// A number in decimal or hexadecimal, at the beginning of the text or behind a field ("si_pid=").
std::optional<std::int64_t> leading_number(std::string_view text);
std::optional<std::int64_t> number_behind(std::string_view text, std::string_view field);

// Whether flags have this one, by its name or, as with -X raw, its bits.
bool has_flag(std::string_view flags, std::string_view name, std::uint64_t bits);
// Whether a constant is this one.
bool is_constant(std::string_view text, std::string_view name, std::uint64_t value);

// A text without its escapes: "\\x2f" is "/".
std::string unescaped(std::string_view text);
// The first string of the text without its quotes and escapes. As strace abbreviates it, so it stays.
std::string first_string(std::string_view text);

// An address as programs give and get it: "127.0.0.1:80", "[::1]:80", the path of a UNIX socket ("@" before an abstract one). An IPv4 address in
// IPv6 is the IPv4 one. Empty: none, or one of another family.
std::string socket_address(std::string_view text);

// "[::ffff:10.0.0.1]:80" is 10.0.0.1:80.
std::string plain_address(std::string_view name);

}  // namespace dpm
