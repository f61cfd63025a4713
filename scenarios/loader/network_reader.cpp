#include "scenarios/loader/network_reader.hpp"

#include <memory>
#include <tuple>

#include "scenarios/behaviour/quantity_reader.hpp"
#include "scenarios/loader/delay_reader.hpp"
#include "scenarios/loader/key_tables.hpp"

namespace dpm {
namespace {

LinkDescription read_link(const JsonNode& node, const NameGroups& machines, const Reading& reading) {
  LinkDescription link;
  ObjectReader object(node, key_tables().network_link, reading);
  if (const auto* between = object.find("machines")) {
    std::tie(link.machine_a, link.machine_b) = read_two_machines(*between, "a link", reading);
    for (const auto& name : {link.machine_a, link.machine_b})
      if (!name.empty()) machines.check_one(reading, *between, name, "a link");
  }
  if (const auto* delay = object.find("delay_s")) {
    const Quantity quantity = read_quantity(*delay, "'delay_s'", kTime, reading, {});
    link.extra_delay = [quantity, deck = std::make_shared<Deck>()](Random& random) {
      return Duration::from_seconds(
          draw(quantity, *deck, random, [](const Value& value) { return value.number; }).value());
    };
  }
  link.loss = object.number("loss", 0, Range{0, 1});
  link.bytes_per_s = object.number("bytes_per_s", 0, Range{0, 1e15, true});
  return link;
}

}  // namespace

std::vector<LinkDescription> read_network(const JsonNode* node, const NameGroups& machines, const Reading& reading) {
  std::vector<LinkDescription> network;
  if (node == nullptr || !reading.expect(*node, JsonKind::list, "'network'")) return network;
  for (const auto& item : node->items) {
    LinkDescription link = read_link(item, machines, reading);
    for (const auto& other : network)
      if ((other.machine_a == link.machine_a && other.machine_b == link.machine_b) ||
          (other.machine_a == link.machine_b && other.machine_b == link.machine_a))
        reading.problem(item, link.machine_a.empty() ? "two links without 'machines': both would be all the others"
                                                     : "two links between the same machines");
    network.push_back(std::move(link));
  }
  return network;
}

}  // namespace dpm
