// Values as bytes for another process of the same program: the same version, on the same kind of machine. Not a file format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace dpm {

using Bytes = std::vector<std::byte>;

class ByteWriter {
 public:
  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&value, sizeof value);
  }
  void put(std::string_view text) {
    put(std::uint64_t{text.size()});
    append(text.data(), text.size());
  }
  void put(const std::string& text) { put(std::string_view(text)); }
  template <typename T>
  void put(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(std::uint64_t{values.size()});
    append(values.data(), values.size() * sizeof(T));
  }

  // Without their number.
  template <typename T>
  void put_all(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(values.data(), values.size_bytes());
  }

  void reserve(std::size_t bytes) { bytes_.reserve(bytes_.size() + bytes); }
  std::size_t size() const { return bytes_.size(); }
  Bytes take() { return std::move(bytes_); }

 private:
  void append(const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    const auto* first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + bytes);
  }

  Bytes bytes_;
};

// Reads what a ByteWriter wrote, in the same order. Where bytes are missing every value is a default one, and ok() is false.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : left_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return left_.empty(); }

  template <typename T>
  void get(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (has(sizeof value)) copy(&value, sizeof value);
  }
  template <typename T>
  T get() {
    T value{};
    get(value);
    return value;
  }
  void get(std::string& text) {
    const auto size = get<std::uint64_t>();
    if (!has(size)) return;
    text.resize(size);
    copy(text.data(), size);
  }
  // What put_all() wrote.
  template <typename T>
  void get_all(std::span<T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (has_all<T>(values.size())) copy(values.data(), values.size_bytes());
  }
  // False, also from then on: there are not that many values.
  template <typename T>
  bool has_all(std::uint64_t count) {
    return ok_ = ok_ && count <= left_.size() / sizeof(T);
  }
  template <typename T>
  void get(std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto size = get<std::uint64_t>();
    if (size > left_.size() / sizeof(T)) ok_ = false;
    if (!ok_) return;
    values.resize(size);
    copy(values.data(), size * sizeof(T));
  }

 private:
  bool has(std::uint64_t bytes) { return ok_ = ok_ && bytes <= left_.size(); }
  void copy(void* to, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, left_.data(), bytes);
    left_ = left_.subspan(bytes);
  }

  std::span<const std::byte> left_;
  bool ok_ = true;
};

}  // namespace dpm
