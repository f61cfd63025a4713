// What controller and servers say to each other. Numbers are little-endian; a city is one byte.
//
//   MATRIX   controller -> server   N (4), costs by rows (4 each)                            4 + 4 N^2 bytes, once to
//   each server PIECE    controller -> server   piece (4), server (1), cities in the path (1), cities    6 + path
//   RESULT   server -> controller   piece (4), server (1), bound (4)                         9
//   DONE     controller -> server   cost (4), the best tour's cities                         4 + N
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scenarios/tsp/little_solver.hpp"

namespace dpm::scenarios::tsp {

enum MessageCode : std::uint32_t { kMatrix = 1, kPiece = 2, kResult = 3, kDone = 4 };

struct Piece {
  std::uint32_t number = 0;  // its place in the level
  std::uint8_t server = 0;   // who has it, counted from 0: comes back in the RESULT
  Path path;
};

struct PieceResult {
  std::uint32_t number = 0;
  std::uint8_t server = 0;
  Cost bound = 0;
};

// Decoding checks the size: bytes that do not hold what their code promises are a mistake of our own programs.
std::vector<std::byte> encode(const CostMatrix& matrix);
std::vector<std::byte> encode(const Piece& piece);
std::vector<std::byte> encode(const PieceResult& result);
std::vector<std::byte> encode(const Tour& tour);
CostMatrix decode_matrix(std::span<const std::byte> bytes);
Piece decode_piece(std::span<const std::byte> bytes);
PieceResult decode_result(std::span<const std::byte> bytes);

}  // namespace dpm::scenarios::tsp
