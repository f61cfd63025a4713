// Where keepers and meters are found: a folder that only its owner can enter, with a socket for each of them.
//
// It is $XDG_RUNTIME_DIR/dpm, or /tmp/dpm-UID where there is no such directory of ours. A folder that somebody else
// owns or can write to, or that is a link, is never used.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class SocketFolder {
 public:
  // Ours; made if it is not there.
  static Result<SocketFolder> own();
  // Those that exist and that we may look into to find what belongs to `user`: our own, and for root also that user's.
  static std::vector<SocketFolder> about(uid_t user);
  // Our own, and for root those of every account.
  static std::vector<SocketFolder> everywhere();

  // A listening socket, non-blocking, `type` being SOCK_STREAM or SOCK_SEQPACKET. It has its name only once it listens,
  // so that one that refuses connections belongs to the dead.
  Result<UniqueFd> listen(const std::string& name, int type) const;
  // Empty if nobody is there any more, which removes the name, or if it is not the folder's owner who listens. Waits at
  // most for some seconds, then and in all that follows.
  UniqueFd connect(const std::string& name, int type) const;
  void remove(const std::string& name) const;

  std::vector<std::string> names(const std::string& prefix) const;

  // Until the result is gone nobody else has one.
  UniqueFd lock() const;

  int fd() const { return folder_.get(); }

 private:
  SocketFolder(UniqueFd folder, uid_t owner) : folder_(std::move(folder)), owner_(owner) {}
  static Result<SocketFolder> open(const std::string& path, uid_t owner);

  UniqueFd folder_;
  uid_t owner_ = 0;
};

// Who has the other end of a connection.
struct SocketPeer {
  pid_t pid = 0;
  uid_t user = 0;
  // Only our own account and root may ask us for anything.
  bool may_ask() const;
};
SocketPeer peer_of(int connection);

}  // namespace dpm
