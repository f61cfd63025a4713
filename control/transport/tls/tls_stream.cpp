#include "control/transport/tls/tls_stream.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <string_view>

#include "os/hexadecimal.hpp"

namespace dpm {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr const char* kCipher = "TLS_AES_128_GCM_SHA256";
constexpr std::array<unsigned char, 2> kCipherNumber = {0x13, 0x01};

using Key = std::array<unsigned char, kKeyBytes>;

// OpenSSL takes the key as a session to be resumed.
SSL_SESSION* session_with(SSL* ssl, const Key& key) {
  SSL_SESSION* session = SSL_SESSION_new();
  const SSL_CIPHER* cipher = SSL_CIPHER_find(ssl, kCipherNumber.data());
  if (session == nullptr || cipher == nullptr || SSL_SESSION_set1_master_key(session, key.data(), key.size()) != 1 ||
      SSL_SESSION_set_cipher(session, cipher) != 1 || SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) != 1) {
    SSL_SESSION_free(session);
    return nullptr;
  }
  return session;
}

std::string last_error() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  const char* reason = error != 0 ? ERR_reason_error_string(error) : nullptr;
  return reason != nullptr ? reason : "no reason is known";
}

}  // namespace

struct TlsContext::State {
  TlsRole role = TlsRole::client;
  std::string identity;  // of a client
  Key key = {};
  FindKey find_key;  // of a server
  std::unique_ptr<asio::ssl::context> context;

  // The context keeps a pointer here, because Asio uses its application data.
  static int index() {
    static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
    return index;
  }
  static const State& of(SSL* ssl) {
    return *static_cast<const State*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), index()));
  }
  static int offer_key(SSL* ssl, const EVP_MD*, const unsigned char** identity, std::size_t* identity_bytes,
                       SSL_SESSION** session) {
    const State& state = of(ssl);
    *session = session_with(ssl, state.key);
    *identity = reinterpret_cast<const unsigned char*>(state.identity.data());
    *identity_bytes = state.identity.size();
    return *session != nullptr ? 1 : 0;
  }
  static int look_for_key(SSL* ssl, const unsigned char* bytes, std::size_t length, SSL_SESSION** session) {
    *session = nullptr;
    const auto found = of(ssl).find_key({reinterpret_cast<const char*>(bytes), length});
    Key key = {};
    if (!found || !read_hexadecimal(*found, key)) return 1;  // the handshake goes on without a key, and fails
    *session = session_with(ssl, key);
    return *session != nullptr && SSL_SESSION_set1_ticket_appdata(*session, bytes, length) == 1 ? 1 : 0;
  }
};

TlsContext::TlsContext(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsContext::TlsContext(TlsContext&&) noexcept = default;
TlsContext& TlsContext::operator=(TlsContext&&) noexcept = default;
TlsContext::~TlsContext() = default;

Result<TlsContext> TlsContext::client(std::string identity, const std::string& key) {
  auto state = std::make_unique<State>();
  if (!read_hexadecimal(key, state->key)) return Error{"a key has 64 hexadecimal digits"};
  state->identity = std::move(identity);
  return create(std::move(state));
}

Result<TlsContext> TlsContext::server(FindKey find_key) {
  auto state = std::make_unique<State>();
  state->role = TlsRole::server;
  state->find_key = std::move(find_key);
  return create(std::move(state));
}

Result<TlsContext> TlsContext::create(std::unique_ptr<State> state) {
  const bool is_client = state->role == TlsRole::client;
  SSL_CTX* context = SSL_CTX_new(is_client ? TLS_client_method() : TLS_server_method());
  if (context == nullptr) return Error{"prepare TLS: " + last_error()};
  state->context = std::make_unique<asio::ssl::context>(context);  // owns it
  if (SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) != 1 || SSL_CTX_set_ciphersuites(context, kCipher) != 1 ||
      SSL_CTX_set_num_tickets(context, 0) != 1)
    return Error{"prepare TLS: " + last_error()};
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_ex_data(context, State::index(), state.get());
  if (is_client) {
    // Verification of a certificate always fails: only the key counts.
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_psk_use_session_callback(context, State::offer_key);
  } else {
    SSL_CTX_set_psk_find_session_callback(context, State::look_for_key);
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
  if (SSL_session_reused(stream.native_handle()) != 1) co_return "the other end does not know the key";
  co_return "";
}

std::string proved_identity(TlsStream& stream) {
  void* bytes = nullptr;
  std::size_t length = 0;
  SSL_SESSION* session = SSL_get0_session(stream.native_handle());
  if (session == nullptr || SSL_SESSION_get0_ticket_appdata(session, &bytes, &length) != 1) return "";
  return {static_cast<const char*>(bytes), length};
}

}  // namespace dpm
