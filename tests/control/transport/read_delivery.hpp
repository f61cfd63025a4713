// What a collector says in delivered.json (trace/delivery_report.hpp), read back.
#pragma once

#include <string>

#include "trace/delivery_report.hpp"

namespace dpm::test {

// Throws if the text is not such a report.
DeliveryReport read_delivery(const std::string& text);

}  // namespace dpm::test
