#include "scenarios/loader/key_tables.hpp"

namespace dpm {

std::vector<const KeyTable*> KeyTables::all() const {
  return {&scenario,      &parameter, &machine,   &clock,   &delays,    &delay_class,  &delay_pair, &wake_up,
          &wake_up_point, &metering,  &program,   &handler, &branch,    &distribution, &process,    &meter,
          &filter,        &fault,     &spawnable, &sweep,   &analysis,  &prediction,   &published,  &study,
          &compute,       &send,      &call,      &forward, &reply,     &wait,         &choose,     &repeat,
          &stop,          &set,       &count,     &test,    &admission, &dispatch,     &task};
}

const KeyTables& key_tables() {
  static const KeyTables tables;
  return tables;
}

}  // namespace dpm
