#include "scenarios/tsp/protocol.hpp"

#include "model/check.hpp"

namespace dpm::scenarios::tsp {
namespace {

class Writer {
 public:
  void byte(std::uint8_t value) { bytes_.push_back(std::byte{value}); }
  void number(std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) byte(static_cast<std::uint8_t>(value >> shift));
  }
  void path(const Path& cities) {
    for (const City city : cities) byte(city);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  std::uint8_t byte() {
    DPM_CHECK(!rest_.empty());
    const auto value = std::to_integer<std::uint8_t>(rest_.front());
    rest_ = rest_.subspan(1);
    return value;
  }
  std::uint32_t number() {
    std::uint32_t value = 0;
    for (int shift = 0; shift < 32; shift += 8) value |= std::uint32_t{byte()} << shift;
    return value;
  }
  Path path(std::size_t cities) {
    Path path;
    while (path.size() < cities) path.push_back(byte());
    return path;
  }
  std::size_t left() const { return rest_.size(); }
  void end() const { DPM_CHECK(rest_.empty()); }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace

std::vector<std::byte> encode(const CostMatrix& matrix) {
  Writer writer;
  writer.number(matrix.size());
  for (const Cost cost : matrix.costs()) writer.number(static_cast<std::uint32_t>(cost));
  return writer.take();
}

std::vector<std::byte> encode(const Piece& piece) {
  Writer writer;
  writer.number(piece.number);
  writer.byte(piece.server);
  writer.byte(static_cast<std::uint8_t>(piece.path.size()));
  writer.path(piece.path);
  return writer.take();
}

std::vector<std::byte> encode(const PieceResult& result) {
  Writer writer;
  writer.number(result.number);
  writer.byte(result.server);
  writer.number(static_cast<std::uint32_t>(result.bound));
  return writer.take();
}

std::vector<std::byte> encode(const Tour& tour) {
  Writer writer;
  writer.number(static_cast<std::uint32_t>(tour.cost));
  writer.path(tour.cities);
  return writer.take();
}

CostMatrix decode_matrix(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  const std::uint32_t size = reader.number();
  DPM_CHECK(size <= kCitiesMax && reader.left() == std::size_t{4} * size * size);
  std::vector<Cost> costs;
  costs.reserve(std::size_t{size} * size);
  while (reader.left() > 0) costs.push_back(static_cast<Cost>(reader.number()));
  return CostMatrix(size, std::move(costs));
}

Piece decode_piece(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  Piece piece;
  piece.number = reader.number();
  piece.server = reader.byte();
  piece.path = reader.path(reader.byte());
  reader.end();
  return piece;
}

PieceResult decode_result(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  PieceResult result;
  result.number = reader.number();
  result.server = reader.byte();
  result.bound = static_cast<Cost>(reader.number());
  reader.end();
  return result;
}

}  // namespace dpm::scenarios::tsp
