// SHA-256 of bytes that come piece by piece. Controller and daemon compare files by it instead of sending them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace dpm {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void add(std::string_view bytes);
  // 64 hexadecimal digits. Called once, last.
  std::string hexadecimal();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dpm
