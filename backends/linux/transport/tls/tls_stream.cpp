#include "backends/linux/transport/tls/tls_stream.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <string_view>

#include "os/hexadecimal.hpp"

namespace dpm {
namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr std::string_view kIdentity = "dpm meter";
constexpr const char* kCipher = "TLS_AES_128_GCM_SHA256";
constexpr std::array<unsigned char, 2> kCipherNumber = {0x13, 0x01};

using Secret = std::array<unsigned char, kSecretBytes>;

Result<Secret> parse_secret(const std::string& text) {
  Secret secret = {};
  if (!read_hexadecimal(text, secret)) return Error{"a secret has 64 hexadecimal digits"};
  return secret;
}

// OpenSSL takes the key as a session to be resumed.
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

// The context keeps its secret here, because Asio uses its application data.
int secret_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

const Secret& secret_of(SSL* ssl) {
  return *static_cast<const Secret*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), secret_index()));
}

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
  std::unique_ptr<asio::ssl::context> context;
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
  SSL_CTX* context = SSL_CTX_new(role == TlsRole::client ? TLS_client_method() : TLS_server_method());
  if (context == nullptr) return Error{"prepare TLS: " + last_error()};
  state->context = std::make_unique<asio::ssl::context>(context);  // owns it
  if (SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) != 1 || SSL_CTX_set_ciphersuites(context, kCipher) != 1 ||
      SSL_CTX_set_num_tickets(context, 0) != 1)
    return Error{"prepare TLS: " + last_error()};
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_ex_data(context, secret_index(), &state->secret);
  if (role == TlsRole::client) {
    // Verification of a certificate always fails: only the secret counts.
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_psk_use_session_callback(context, offer_secret);
  } else {
    SSL_CTX_set_psk_find_session_callback(context, find_secret);
  }
  return TlsContext(std::move(state));
}

asio::ssl::context& TlsContext::asio() { return *state_->context; }
TlsRole TlsContext::role() const { return state_->role; }

asio::awaitable<std::string> shake_hands(TlsStream& stream, TlsRole role) {
  AsioError failed;
  co_await stream.async_handshake(
      role == TlsRole::client ? asio::ssl::stream_base::client : asio::ssl::stream_base::server,
      asio::redirect_error(asio::use_awaitable, failed));
  if (failed) co_return failed.message();
  // Both ends agreed on the pre-shared key, and nothing else.
  if (SSL_session_reused(stream.native_handle()) != 1) co_return "the other end does not know the secret";
  co_return "";
}

}  // namespace dpm
