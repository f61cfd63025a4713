// Links and link tables (thesis 4.2.1): a link is a protected way to the process that created it. Duplicates and copies
// passed in messages are entries in link tables (model/link_table.hpp) that share one channel.
#pragma once

#include <cstdint>
#include <optional>

#include "model/ids.hpp"
#include "model/link_table.hpp"

namespace dpm::sim {

struct Process;

// A created link, which several link tables may hold.
struct Channel {
  Process* owner = nullptr;       // every link leads to it
  Process* wired_from = nullptr;  // the scenario gave this process the link
  bool for_replies = false;       // the owner's reply channel
  std::optional<DataArea> area;   // in the owner's address space
  ChannelId id;                   // given when a trace first names it
  ChannelSetId set_of_it;         // the set of this channel alone; likewise
  LinkIndex owners_index;         // the owner's own entry; none for reply channels
};

struct Link {
  Channel* channel = nullptr;
  std::uint64_t answers_call = 0;  // a reply link: which CALL of the owner it answers. Used up by one message.

  bool is_for_one_reply() const { return answers_call != 0; }
};

}  // namespace dpm::sim
