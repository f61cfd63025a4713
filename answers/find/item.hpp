// What dpm find looks for in a trace: messages, requests, processes, channels and gaps, each as one plain row of numbers, and the
// fields by which they are named in expressions, tables and JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.hpp"

namespace dpm::cli {

enum class ItemKind : std::uint8_t {
  messages,  // from the SEND to the RECEIVE
  requests,  // of a process to one that it connected to, or told something first: from the first SEND to the RECEIVE of the answer
  processes,  // and threads
  channels,   // from one process to another one
  gaps,       // from one event of a process to the next
};

struct Item {
  static constexpr std::int64_t kUnknown = -1;

  ProcessId from, to;  // of a process: `from`; of a gap: the process, and the one that it waited for
  ChannelId channel;
  std::int64_t number = kUnknown;   // of a request among those of `from` that dpm blame counts, from 1
  std::int64_t at_ns = kUnknown;    // when it began, since the first event
  std::int64_t took_ns = kUnknown;  // of a channel: the longest of its messages
  std::int64_t wait_ns = kUnknown;  // of a message in the receiver's queue; of a gap: without work
  std::int64_t cpu_ns = kUnknown;
  std::int64_t bytes = kUnknown;
  std::int64_t messages = kUnknown;
};

enum class FieldType : std::uint8_t { process, program, machine, channel, time, bytes, number };

constexpr bool is_name(FieldType type) { return type <= FieldType::channel; }

enum class ItemEnd : std::uint8_t { from, to, either };

struct ItemField {
  std::string_view name;
  FieldType type = FieldType::number;
  ItemEnd end = ItemEnd::from;           // of a process, program or machine
  std::int64_t Item::*amount = nullptr;  // of a number
  bool is_column = true;                 // of the table; JSON has all but those of either end
};

std::string_view name_of(ItemKind kind);
std::optional<ItemKind> item_kind_from_name(std::string_view name);
std::vector<std::string> item_kind_names();

std::span<const ItemField> fields_of(ItemKind kind);
// Null: there is none of that name.
const ItemField* field_named(ItemKind kind, std::string_view name);
std::vector<std::string> field_names(ItemKind kind);
// By which the greatest come first, unless another one is asked for.
const ItemField& main_field(ItemKind kind);

}  // namespace dpm::cli
