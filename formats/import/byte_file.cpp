#include "formats/import/byte_file.hpp"

#include <lzma.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace dpm {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;
constexpr std::uint64_t kXzMemoryMax = std::uint64_t{256} << 20;
constexpr int kZstdWindowMax = 27;  // 128 MB

// What is left to take, and room for what comes out.
struct Piece {
  const char* from;
  std::size_t left;
  char* to;
  std::size_t room;
};

// One way to decompress. take() moves bytes from `left` to `room`; false: the bytes are damaged.
class Decompressor {
 public:
  virtual ~Decompressor() = default;
  virtual bool take(Piece& piece) = 0;
  virtual bool is_between_streams() const = 0;  // where the recording may end
};

class Gzip : public Decompressor {
 public:
  Gzip() { inflateInit2(&stream_, 15 + 16); }
  ~Gzip() override { inflateEnd(&stream_); }
  bool take(Piece& piece) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.from));
    stream_.avail_in = static_cast<uInt>(piece.left);
    stream_.next_out = reinterpret_cast<Bytef*>(piece.to);
    stream_.avail_out = static_cast<uInt>(piece.room);
    const std::size_t left = piece.left, room = piece.room;
    const int done = inflate(&stream_, Z_NO_FLUSH);
    piece = {reinterpret_cast<const char*>(stream_.next_in), stream_.avail_in,
             reinterpret_cast<char*>(stream_.next_out), stream_.avail_out};
    if (done == Z_STREAM_END) {
      between_ = true;
      inflateReset(&stream_);
      return true;
    }
    if (piece.left != left || piece.room != room) between_ = false;
    return done == Z_OK || done == Z_BUF_ERROR;
  }
  bool is_between_streams() const override { return between_; }

 private:
  z_stream stream_{};
  bool between_ = true;
};

class Xz : public Decompressor {
 public:
  Xz() { usable_ = lzma_stream_decoder(&stream_, kXzMemoryMax, LZMA_CONCATENATED) == LZMA_OK; }
  ~Xz() override { lzma_end(&stream_); }
  bool take(Piece& piece) override {
    if (!usable_) return false;
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(piece.from);
    stream_.avail_in = piece.left;
    stream_.next_out = reinterpret_cast<std::uint8_t*>(piece.to);
    stream_.avail_out = piece.room;
    // At the end of the file liblzma must be told that nothing follows.
    const lzma_ret done = lzma_code(&stream_, piece.left == 0 ? LZMA_FINISH : LZMA_RUN);
    piece = {reinterpret_cast<const char*>(stream_.next_in), stream_.avail_in,
             reinterpret_cast<char*>(stream_.next_out), stream_.avail_out};
    between_ = done == LZMA_STREAM_END;
    return done == LZMA_OK || done == LZMA_STREAM_END || done == LZMA_BUF_ERROR;
  }
  bool is_between_streams() const override { return between_; }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool usable_ = false, between_ = false;
};

class Zstd : public Decompressor {
 public:
  Zstd() { ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kZstdWindowMax); }
  bool take(Piece& piece) override {
    ZSTD_inBuffer in{piece.from, piece.left, 0};
    ZSTD_outBuffer out{piece.to, piece.room, 0};
    const std::size_t left = ZSTD_decompressStream(context_.get(), &out, &in);
    piece = {piece.from + in.pos, piece.left - in.pos, piece.to + out.pos, piece.room - out.pos};
    if (ZSTD_isError(left)) return false;
    if (in.pos > 0 || out.pos > 0) between_ = left == 0;
    return true;
  }
  bool is_between_streams() const override { return between_; }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  std::unique_ptr<ZSTD_DCtx, Free> context_{ZSTD_createDCtx()};
  bool between_ = true;
};

struct Compression {
  std::string_view name, magic;
  std::unique_ptr<Decompressor> (*make)();
};
const Compression kCompressions[] = {
    {"gzip", "\x1f\x8b", [] { return std::unique_ptr<Decompressor>(std::make_unique<Gzip>()); }},
    {"xz",
     "\xfd"
     "7zXZ",
     [] { return std::unique_ptr<Decompressor>(std::make_unique<Xz>()); }},
    {"zstd", "\x28\xb5\x2f\xfd", [] { return std::unique_ptr<Decompressor>(std::make_unique<Zstd>()); }},
};

}  // namespace

struct ByteFile::State {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string path;
  std::unique_ptr<std::FILE, Close> file;
  std::string block;    // of the file
  std::size_t at = 0;   // in the block
  bool at_end = false;  // of the file
  bool failed = false, cut = false;
  const Compression* compression = nullptr;
  std::unique_ptr<Decompressor> decompressor;

  bool fill() {
    block.resize(kBlock);
    block.resize(std::fread(block.data(), 1, kBlock, file.get()));
    at = 0;
    at_end = block.size() < kBlock;
    failed |= std::ferror(file.get()) != 0;
    return !block.empty();
  }

  void begin() {
    fill();
    compression = nullptr;
    for (const Compression& known : kCompressions)
      if (block.starts_with(known.magic)) compression = &known;
    decompressor = compression == nullptr ? nullptr : compression->make();
    cut = false;
  }

  std::size_t read_plain(char* bytes, std::size_t room) {
    std::size_t got = 0;
    while (got < room && (at < block.size() || (!at_end && fill()))) {
      const std::size_t part = std::min(room - got, block.size() - at);
      std::memcpy(bytes + got, block.data() + at, part);
      at += part, got += part;
    }
    return got;
  }

  std::size_t read_compressed(char* bytes, std::size_t room) {
    std::size_t got = 0;
    while (got < room && !cut) {
      if (at == block.size() && !at_end) fill();
      Piece piece{block.data() + at, block.size() - at, bytes + got, room - got};
      const std::size_t left_before = piece.left, room_before = piece.room;
      const bool sound = decompressor->take(piece);
      at = block.size() - piece.left;
      got = room - piece.room;
      const bool moved = piece.left != left_before || piece.room != room_before;
      if (sound && moved) continue;
      if (sound && (at < block.size() || !at_end)) continue;
      cut = !sound || !decompressor->is_between_streams();
      break;
    }
    return got;
  }
};

ByteFile::ByteFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteFile::ByteFile(ByteFile&&) noexcept = default;
ByteFile& ByteFile::operator=(ByteFile&&) noexcept = default;
ByteFile::~ByteFile() = default;

Result<ByteFile> ByteFile::open(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->file.reset(std::fopen(path.c_str(), "re"));
  if (!state->file) return Error::from_errno("read " + path);
  struct stat found {};
  if (fstat(fileno(state->file.get()), &found) == 0 && S_ISDIR(found.st_mode))
    return Error{path + " is a directory, not a file"};
  state->begin();
  return ByteFile(std::move(state));
}

std::size_t ByteFile::read(char* bytes, std::size_t room) {
  return state_->decompressor ? state_->read_compressed(bytes, room) : state_->read_plain(bytes, room);
}

std::string_view ByteFile::compression() const {
  return state_->compression == nullptr ? std::string_view() : state_->compression->name;
}

bool ByteFile::is_cut() const { return state_->cut; }

Result<void> ByteFile::rewind() {
  if (std::fseek(state_->file.get(), 0, SEEK_SET) != 0)
    return Error::from_errno("read " + state_->path + " again (it must be a file, not a pipe)");
  state_->begin();
  return {};
}

Result<void> ByteFile::status() const {
  if (state_->failed) return Error{"read " + state_->path + ": the disk reports an error"};
  return {};
}

}  // namespace dpm
