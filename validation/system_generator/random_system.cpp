#include "validation/system_generator/random_system.hpp"

#include <fmt/format.h>

#include <array>

#include "model/check.hpp"
#include "validation/system_generator/classes.hpp"

namespace dpm::validation {
namespace {

struct ClassEntry {
  std::string_view name;
  void (*draw)(Draft&);
};

constexpr std::array<ClassEntry, kSystemClassCount> kClasses = {{{"turns", draw_turns},
                                                                 {"limits", draw_limits},
                                                                 {"least_busy", draw_least_busy},
                                                                 {"batches", draw_batches},
                                                                 {"priorities", draw_priorities},
                                                                 {"timeouts", draw_timeouts},
                                                                 {"caches", draw_caches},
                                                                 {"mixed", draw_mixed_system}}};

}  // namespace

std::string_view name_of(SystemClass system_class) { return kClasses[static_cast<std::size_t>(system_class)].name; }

std::string RandomSystem::name() const { return fmt::format("#{} ({}: {})", seed, name_of(system_class), variant); }

RandomSystem random_system(std::uint64_t seed, std::optional<SystemClass> system_class) {
  RandomSystem system;
  system.seed = seed;
  system.system_class = system_class.value_or(static_cast<SystemClass>(seed % kSystemClassCount));
  Draft draft(seed, "random system");
  kClasses[static_cast<std::size_t>(system.system_class)].draw(draft);
  const std::string name = "system-" + std::to_string(seed);
  system.text = draft.finish(name).dump(2) + "\n";
  system.variant = draft.variant();
  auto loaded = parse_scenario(system.text, name + ".json", {});
  DPM_CHECK(loaded);  // what we write, we can read
  system.file = std::move(*loaded);
  return system;
}

}  // namespace dpm::validation
