#include "answers/find/item.hpp"

#include <algorithm>
#include <array>

#include "model/check.hpp"

namespace dpm::cli {
namespace {

using T = FieldType;
using E = ItemEnd;

constexpr std::array kMessageFields = {
    ItemField{"from", T::process, E::from},
    ItemField{"to", T::process, E::to},
    ItemField{"program", T::program, E::either, nullptr, false},
    ItemField{"machine", T::machine, E::either, nullptr, false},
    ItemField{"channel", T::channel, E::from, nullptr, false},
    ItemField{"at", T::time, E::from, &Item::at_ns},
    ItemField{"latency", T::time, E::from, &Item::took_ns},
    ItemField{"wait", T::time, E::from, &Item::wait_ns},
    ItemField{"bytes", T::bytes, E::from, &Item::bytes},
};
constexpr std::array kRequestFields = {
    ItemField{"from", T::process, E::from},
    ItemField{"to", T::process, E::to},
    ItemField{"program", T::program, E::either, nullptr, false},
    ItemField{"machine", T::machine, E::either, nullptr, false},
    ItemField{"number", T::number, E::from, &Item::number},
    ItemField{"at", T::time, E::from, &Item::at_ns},
    ItemField{"latency", T::time, E::from, &Item::took_ns},
};
constexpr std::array kProcessFields = {
    ItemField{"process", T::process, E::from},
    ItemField{"program", T::program, E::from},
    ItemField{"machine", T::machine, E::from},
    ItemField{"at", T::time, E::from, &Item::at_ns},
    ItemField{"life", T::time, E::from, &Item::took_ns},
    ItemField{"cpu", T::time, E::from, &Item::cpu_ns},
    ItemField{"messages", T::number, E::from, &Item::messages},
    ItemField{"bytes", T::bytes, E::from, &Item::bytes},
};
constexpr std::array kChannelFields = {
    ItemField{"from", T::process, E::from},
    ItemField{"to", T::process, E::to},
    ItemField{"channel", T::channel},
    ItemField{"program", T::program, E::either, nullptr, false},
    ItemField{"machine", T::machine, E::either, nullptr, false},
    ItemField{"messages", T::number, E::from, &Item::messages},
    ItemField{"bytes", T::bytes, E::from, &Item::bytes},
    ItemField{"latency", T::time, E::from, &Item::took_ns},
    ItemField{"wait", T::time, E::from, &Item::wait_ns},
};
constexpr std::array kGapFields = {
    ItemField{"process", T::process, E::from},
    ItemField{"to", T::process, E::to},
    ItemField{"program", T::program, E::from, nullptr, false},
    ItemField{"machine", T::machine, E::from, nullptr, false},
    ItemField{"at", T::time, E::from, &Item::at_ns},
    ItemField{"length", T::time, E::from, &Item::took_ns},
    ItemField{"wait", T::time, E::from, &Item::wait_ns},
    ItemField{"cpu", T::time, E::from, &Item::cpu_ns},
};

struct KindOfItem {
  std::string_view name;
  std::span<const ItemField> fields;
  std::string_view main_field;
};

// In the order of the kinds.
constexpr std::array<KindOfItem, 5> kKinds = {{{"messages", kMessageFields, "latency"},
                                               {"requests", kRequestFields, "latency"},
                                               {"processes", kProcessFields, "cpu"},
                                               {"channels", kChannelFields, "bytes"},
                                               {"gaps", kGapFields, "length"}}};

const KindOfItem& of(ItemKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

}  // namespace

std::string_view name_of(ItemKind kind) { return of(kind).name; }

std::optional<ItemKind> item_kind_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kKinds.size(); ++i)
    if (kKinds[i].name == name) return static_cast<ItemKind>(i);
  return std::nullopt;
}

std::vector<std::string> item_kind_names() {
  std::vector<std::string> names;
  for (const KindOfItem& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

std::span<const ItemField> fields_of(ItemKind kind) { return of(kind).fields; }

const ItemField* field_named(ItemKind kind, std::string_view name) {
  const auto fields = fields_of(kind);
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const ItemField& f) { return f.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

std::vector<std::string> field_names(ItemKind kind) {
  std::vector<std::string> names;
  for (const ItemField& field : fields_of(kind)) names.emplace_back(field.name);
  return names;
}

const ItemField& main_field(ItemKind kind) {
  const ItemField* field = field_named(kind, of(kind).main_field);
  DPM_CHECK(field != nullptr);
  return *field;
}

}  // namespace dpm::cli
