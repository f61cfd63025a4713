#include "control/protocol/sha256.hpp"

#include <openssl/evp.h>

#include <array>

#include "model/check.hpp"
#include "os/hexadecimal.hpp"

namespace dpm {

struct Sha256::State {
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context{EVP_MD_CTX_new()};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  DPM_CHECK(state_->context != nullptr);
  DPM_CHECK(EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::add(std::string_view bytes) {
  DPM_CHECK(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::hexadecimal() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  DPM_CHECK(EVP_DigestFinal_ex(state_->context.get(), digest.data(), &length) == 1);
  return dpm::hexadecimal(std::span(digest).first(length));
}

}  // namespace dpm
