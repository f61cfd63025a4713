#include "trace/symbols/debug_functions.hpp"

#include <dwarf.h>

namespace dpm {
namespace {

constexpr int kDepthMost = 64;  // of entries in entries, and of types of types: a file may have a circle
constexpr int kRegisters = 6;
constexpr unsigned kBitsPerByte = 8, kRegisterBytes = 8;

std::string name_of(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  const char* text = ::dwarf_formstring(::dwarf_attr_integrate(die, DW_AT_name, &attribute));
  return text == nullptr ? "" : text;
}

// Without typedef, const and the like. False when there is none (void).
bool type_of(Dwarf_Die* die, Dwarf_Die& type) {
  Dwarf_Attribute attribute;
  Dwarf_Die* at = die;
  for (int depth = 0; depth < kDepthMost; ++depth) {
    if (::dwarf_formref_die(::dwarf_attr_integrate(at, DW_AT_type, &attribute), &type) == nullptr) return false;
    const int tag = ::dwarf_tag(&type);
    if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
        tag != DW_TAG_restrict_type && tag != DW_TAG_atomic_type)
      return true;
    at = &type;
  }
  return false;
}

enum class Class { kInteger, kVector, kUnknown };

Class class_of(Dwarf_Die& type, FunctionArgument& argument) {
  const int bytes = ::dwarf_bytesize(&type);
  switch (::dwarf_tag(&type)) {
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
      argument.is_signed = false;
      return Class::kInteger;
    case DW_TAG_enumeration_type:
    case DW_TAG_base_type:
      break;
    default:
      return Class::kUnknown;
  }
  Dwarf_Attribute attribute;
  Dwarf_Word encoding = DW_ATE_signed;
  ::dwarf_formudata(::dwarf_attr_integrate(&type, DW_AT_encoding, &attribute), &encoding);
  if (bytes <= 0 || bytes > static_cast<int>(kRegisterBytes)) return Class::kUnknown;
  if (encoding == DW_ATE_float) return Class::kVector;
  argument.bits = static_cast<unsigned>(bytes) * kBitsPerByte;
  argument.is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
  return Class::kInteger;
}

// Arguments behind one whose registers are not known here (a structure) have no known place either.
std::vector<FunctionArgument> arguments_of(Dwarf_Die* function) {
  std::vector<FunctionArgument> arguments;
  Dwarf_Die type, child, result;
  FunctionArgument unused;
  // A result in memory comes with a hidden first argument.
  bool is_known = !type_of(function, result) || class_of(result, unused) != Class::kUnknown;
  int used = 0;
  for (int more = ::dwarf_child(function, &child); more == 0; more = ::dwarf_siblingof(&child, &child)) {
    if (::dwarf_tag(&child) != DW_TAG_formal_parameter) continue;
    FunctionArgument argument{name_of(&child)};
    const Class kind = type_of(&child, type) ? class_of(type, argument) : Class::kUnknown;
    if (kind == Class::kUnknown) is_known = false;
    if (kind == Class::kInteger && is_known && used < kRegisters) argument.place = ++used;
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

}  // namespace

DebugFunctions::DebugFunctions(Dwfl_Module* module) {
  Dwarf_Addr bias = 0;
  for (Dwarf_Die* unit = nullptr; (unit = ::dwfl_module_nextcu(module, unit, &bias)) != nullptr;)
    look_at(unit, bias, 0);
}

void DebugFunctions::look_at(Dwarf_Die* die, Dwarf_Addr bias, int depth) {
  const int tag = ::dwarf_tag(die);
  if (tag == DW_TAG_inlined_subroutine) ++inlined_[name_of(die)];
  Dwarf_Addr entry = 0;
  if (tag == DW_TAG_subprogram && ::dwarf_entrypc(die, &entry) == 0) functions_[entry + bias] = arguments_of(die);
  Dwarf_Die child;
  if (depth == kDepthMost) return;
  for (int more = ::dwarf_child(die, &child); more == 0; more = ::dwarf_siblingof(&child, &child))
    look_at(&child, bias, depth + 1);
}

std::size_t DebugFunctions::inlined(const std::string& name) const {
  const auto found = inlined_.find(name);
  return found == inlined_.end() ? 0 : found->second;
}

std::optional<std::vector<FunctionArgument>> DebugFunctions::arguments(
    const std::function<bool(std::uint64_t address)>& is_it) const {
  for (const auto& [address, arguments] : functions_)
    if (is_it(address)) return arguments;
  return std::nullopt;
}

}  // namespace dpm
