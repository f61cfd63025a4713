#include "backends/linux/transport/tls/tls_stream.hpp"

#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace dpm {
namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr std::string_view kIdentity = "dpm meter";
constexpr const char* kCipher = "TLS_AES_128_GCM_SHA256";
constexpr std::array<unsigned char, 2> kCipherNumber = {0x13, 0x01};

using Secret = std::array<unsigned char, kSecretBytes>;

Result<Secret> parse_secret(const std::string& text) {
  Secret secret = {};
  if (text.size() != 2 * secret.size()) return Error{"a secret has 64 hexadecimal digits"};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = std::string_view("0123456789abcdef").find(text[i]);
    if (digit == std::string_view::npos) return Error{"a secret has 64 hexadecimal digits"};
    secret[i / 2] = static_cast<unsigned char>(secret[i / 2] << 4 | digit);
  }
  return secret;
}

// The key in the form that OpenSSL wants it: as a session that could be resumed.
SSL_SESSION* session_with(SSL* ssl, const Secret& secret) {
  SSL_SESSION* session = SSL_SESSION_new();
  const SSL_CIPHER* cipher = SSL_CIPHER_find(ssl, kCipherNumber.data());
  if (session == nullptr || cipher == nullptr ||
      SSL_SESSION_set1_master_key(session, secret.data(), secret.size()) != 1 ||
      SSL_SESSION_set_cipher(session, cipher) != 1 || SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) != 1) {
    SSL_SESSION_free(session);
    return nullptr;
  }
  return session;
}

const Secret& secret_of(SSL* ssl) { return *static_cast<const Secret*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl))); }

int offer_secret(SSL* ssl, const EVP_MD*, const unsigned char** identity, std::size_t* identity_bytes,
                 SSL_SESSION** session) {
  *session = session_with(ssl, secret_of(ssl));
  *identity = reinterpret_cast<const unsigned char*>(kIdentity.data());
  *identity_bytes = kIdentity.size();
  return *session != nullptr ? 1 : 0;
}

int find_secret(SSL* ssl, const unsigned char* identity, std::size_t identity_bytes, SSL_SESSION** session) {
  const std::string_view name(reinterpret_cast<const char*>(identity), identity_bytes);
  *session = name == kIdentity ? session_with(ssl, secret_of(ssl)) : nullptr;
  return name != kIdentity || *session != nullptr ? 1 : 0;
}

std::string last_error() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  const char* reason = error != 0 ? ERR_reason_error_string(error) : nullptr;
  return reason != nullptr ? reason : "no reason is known";
}

}  // namespace

struct TlsContext::State {
  Secret secret = {};
  TlsRole role = TlsRole::client;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context{nullptr, &SSL_CTX_free};
};

TlsContext::TlsContext(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsContext::TlsContext(TlsContext&&) noexcept = default;
TlsContext& TlsContext::operator=(TlsContext&&) noexcept = default;
TlsContext::~TlsContext() = default;

Result<TlsContext> TlsContext::create(TlsRole role, const std::string& secret) {
  const auto parsed = parse_secret(secret);
  if (!parsed) return parsed.error();
  auto state = std::make_unique<State>();
  state->secret = *parsed;
  state->role = role;
  state->context.reset(SSL_CTX_new(role == TlsRole::client ? TLS_client_method() : TLS_server_method()));
  SSL_CTX* context = state->context.get();
  if (context == nullptr || SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) != 1 || SSL_CTX_set_ciphersuites(context, kCipher) != 1 ||
      SSL_CTX_set_num_tickets(context, 0) != 1)
    return Error{"prepare TLS: " + last_error()};
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_app_data(context, &state->secret);
  if (role == TlsRole::client) {
    // No certificate is ever good enough: only the secret counts.
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_psk_use_session_callback(context, offer_secret);
  } else {
    SSL_CTX_set_psk_find_session_callback(context, find_secret);
  }
  return TlsContext(std::move(state));
}

Result<std::string> new_secret() {
  Secret secret;
  if (RAND_bytes(secret.data(), static_cast<int>(secret.size())) != 1) return Error{"draw a secret: " + last_error()};
  std::string text;
  for (const auto byte : secret) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

struct TlsStream::State {
  UniqueFd socket;
  TlsRole role = TlsRole::client;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl{nullptr, &SSL_free};
  std::string problem;
  bool established = false;
};

TlsStream::TlsStream(const TlsContext& context, UniqueFd socket) : state_(std::make_unique<State>()) {
  state_->socket = std::move(socket);
  state_->role = context.state_->role;
  state_->ssl.reset(SSL_new(context.state_->context.get()));
  DPM_CHECK(state_->ssl != nullptr && SSL_set_fd(state_->ssl.get(), state_->socket.get()) == 1);
}
TlsStream::TlsStream(TlsStream&&) noexcept = default;
TlsStream& TlsStream::operator=(TlsStream&&) noexcept = default;
TlsStream::~TlsStream() = default;

TlsStatus TlsStream::status_of(int result) {
  const int system_error = errno;
  switch (SSL_get_error(state_->ssl.get(), result)) {
    case SSL_ERROR_NONE:
      return TlsStatus::done;
    case SSL_ERROR_WANT_READ:
      return TlsStatus::wants_read;
    case SSL_ERROR_WANT_WRITE:
      return TlsStatus::wants_write;
    case SSL_ERROR_ZERO_RETURN:
      return TlsStatus::closed;
    case SSL_ERROR_SYSCALL:
      state_->problem = system_error != 0 ? std::strerror(system_error) : "the connection was cut off";
      ERR_clear_error();
      return TlsStatus::failed;
    default:
      state_->problem = last_error();
      return TlsStatus::failed;
  }
}

TlsStatus TlsStream::handshake() {
  ERR_clear_error();
  errno = 0;
  SSL* ssl = state_->ssl.get();
  const int result = state_->role == TlsRole::client ? SSL_connect(ssl) : SSL_accept(ssl);
  if (result != 1) return status_of(result);
  // It is the secret that both have agreed on, and nothing else.
  if (SSL_session_reused(ssl) != 1) {
    state_->problem = "the other end does not know the secret";
    return TlsStatus::failed;
  }
  state_->established = true;
  return TlsStatus::done;
}

TlsStream::Progress TlsStream::read(std::span<char> buffer) {
  DPM_CHECK(state_->established);
  ERR_clear_error();
  errno = 0;
  std::size_t bytes = 0;
  const int result = SSL_read_ex(state_->ssl.get(), buffer.data(), buffer.size(), &bytes);
  return {result == 1 ? TlsStatus::done : status_of(result), result == 1 ? bytes : 0};
}

TlsStream::Progress TlsStream::write(std::string_view bytes) {
  DPM_CHECK(state_->established);
  if (bytes.empty()) return {};
  ERR_clear_error();
  errno = 0;
  std::size_t written = 0;
  const int result = SSL_write_ex(state_->ssl.get(), bytes.data(), bytes.size(), &written);
  return {result == 1 ? TlsStatus::done : status_of(result), result == 1 ? written : 0};
}

void TlsStream::say_goodbye() {
  if (state_->established) SSL_shutdown(state_->ssl.get());
  ERR_clear_error();
}

int TlsStream::fd() const { return state_->socket.get(); }
const std::string& TlsStream::problem() const { return state_->problem; }

}  // namespace dpm
