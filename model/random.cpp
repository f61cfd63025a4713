#include "model/random.hpp"

#include <cmath>

#include "model/check.hpp"

namespace dpm {

Random Random::stream(std::uint64_t seed, std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ull ^ seed;  // FNV-1a over the name, started from the seed
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  Random mixed(hash);
  return Random(mixed.next());
}

std::uint64_t Random::next() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

std::uint64_t Random::below(std::uint64_t bound) {
  DPM_CHECK(bound > 0);
  const std::uint64_t unfair = -bound % bound;  // the low values that would occur once too often
  std::uint64_t draw = next();
  while (draw < unfair) draw = next();
  return draw % bound;
}

double Random::exponential(double mean) { return -mean * std::log1p(-uniform()); }

// Box and Muller's, of which one of the two draws is used: a stream has no state besides its position.
double Random::normal() {
  constexpr double kFullTurn = 6.283185307179586;
  const double length = std::sqrt(-2 * std::log1p(-uniform()));
  return length * std::cos(kFullTurn * uniform());
}

}  // namespace dpm
