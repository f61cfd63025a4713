#include "view/text.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace dpm::view {
namespace {

constexpr std::string_view kThinSpace = "\xE2\x80\x89";
constexpr std::string_view kMinus = "\xE2\x88\x92";
constexpr std::string_view kNoNumber = "\xE2\x80\x93";

std::string printed(const char* format, int decimals, double value) {
  std::array<char, 64> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), format, decimals, value);
  return length > 0 && length < static_cast<int>(buffer.size()) ? std::string(buffer.data()) : std::string(kNoNumber);
}

std::string without_trailing_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

// Three significant digits: 1.23, 12.3, 123.
std::string three_digits(double value) {
  const double size = std::fabs(value);
  return without_trailing_zeros(fixed(value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2));
}

}  // namespace

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += kThinSpace;
    text += digits[i];
  }
  return text;
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return std::string(kNoNumber);
  std::string text = printed("%.*f", decimals, value);
  if (text.find_first_not_of("-0.") == std::string::npos && text[0] == '-') text.erase(0, 1);  // no "-0.0"
  if (text[0] == '-') text.replace(0, 1, kMinus);
  return text;
}

std::string plain(double value) {
  if (!std::isfinite(value)) return std::string(kNoNumber);
  const double size = std::fabs(value);
  if (size >= 1e7 || (size > 0 && size < 1e-4)) return printed("%.*g", 3, value);
  const int decimals = size >= 999.5 ? 0 : size >= 99.95 ? 1 : size >= 9.995 ? 2 : size >= 0.9995 ? 3 : 4;
  return without_trailing_zeros(fixed(value, decimals));
}

std::string percent(double fraction) {
  const double value = fraction * 100;
  const bool small = value != 0 && std::fabs(value) < 9.95;
  return without_trailing_zeros(fixed(value, small ? 1 : 0)) + std::string(kThinSpace) + "%";
}

std::string signed_percent(double value) {
  if (!std::isfinite(value)) return std::string(kNoNumber);
  const std::string text = fixed(value, 1);
  const bool zero = text == "0.0";
  return (value > 0 && !zero ? "+" : "") + text + std::string(kThinSpace) + "%";
}

std::string bytes(double count) {
  constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (std::fabs(count) >= 999.5 && unit + 1 < kUnits.size()) {
    count /= 1000;
    ++unit;
  }
  return three_digits(count) + std::string(kThinSpace) + kUnits[unit];
}

std::string seconds(double value) {
  const std::string space(kThinSpace);
  const double size = std::fabs(value);
  if (size >= 0.9995 || size == 0 || !std::isfinite(value)) return three_digits(value) + space + "s";
  if (size >= 0.9995e-3) return three_digits(value * 1e3) + space + "ms";
  if (size >= 0.9995e-6) return three_digits(value * 1e6) + space + "\xC2\xB5s";
  return three_digits(value * 1e9) + space + "ns";
}

}  // namespace dpm::view
