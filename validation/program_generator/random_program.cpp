#include "validation/program_generator/random_program.hpp"

#include <fmt/format.h>

#include <array>

#include "model/check.hpp"
#include "validation/program_generator/families.hpp"

namespace dpm::validation {
namespace {

struct FamilyEntry {
  std::string_view name;
  void (*draw)(Draft&);
};

constexpr std::array<FamilyEntry, kFamilyCount> kFamilies = {{{"client_server", draw_client_server},
                                                              {"pipeline", draw_pipeline},
                                                              {"dispatcher_worker", draw_dispatcher_worker},
                                                              {"peer_to_peer", draw_peer_to_peer},
                                                              {"mixed", draw_mixed}}};

}  // namespace

std::string_view name_of(Family family) { return kFamilies[static_cast<std::size_t>(family)].name; }

std::string RandomProgram::name() const { return fmt::format("#{} ({}: {})", seed, name_of(family), variant); }

RandomProgram random_program(std::uint64_t seed, std::optional<Family> family) {
  RandomProgram program;
  program.seed = seed;
  program.family = family.value_or(static_cast<Family>(seed % kFamilyCount));
  Draft draft(seed);
  kFamilies[static_cast<std::size_t>(program.family)].draw(draft);
  const std::string name = "random-" + std::to_string(seed);
  program.text = draft.finish(name).dump(2) + "\n";
  program.variant = draft.variant();
  auto loaded = parse_scenario(program.text, name + ".json", {});
  DPM_CHECK(loaded);  // what we write, we can read
  program.file = std::move(*loaded);
  return program;
}

}  // namespace dpm::validation
