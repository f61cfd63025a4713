// Where folders of sockets are.
//
//   1  $XDG_RUNTIME_DIR/dpm                   if that is a private directory of ours other than /run/user/UID; then no other
//   2  /run/dpm                               root's: no other user can create it first
//   3  /tmp/dpm-UID                           another user can create it first
//   4  ~/.local/state/dpm/sockets-MACHINE     no other user can; several machines may share the home
//   5  /run/user/UID/dpm                      logind removes it when the user's last session ends, while programs go on
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace dpm {

// For the sockets of this process's user, the best first. A folder that exists already in one of them is better than a new one
// in a place before it: it may have sockets.
struct OwnSocketPlaces {
  std::vector<std::string> lasting;  // 1 alone, or 2 to 4
  std::string session;               // 5; empty after 1
};
OwnSocketPlaces own_socket_places();

// Where processes of `user`, who may be ourselves, can have put sockets. The environments of these processes are not known: of
// another user, 1 is missing and 4 is below the home that the system's list of users has.
std::vector<std::string> all_socket_places(uid_t user);

// Root's: the accounts that may have sockets, which are those with a place 3 or 5 and those with processes.
std::vector<uid_t> other_accounts();

}  // namespace dpm
