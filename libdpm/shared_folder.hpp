// Where programs and their monitor meet, and how each sees that the other lives. For the library and its reader.
#pragma once

namespace dpm::monitor {

inline constexpr int kFolderBytes = 4096;

// DPM_MONITOR_FOLDER, or /dev/shm/dpm-UID, or ~/.dpm-monitor-HOST if another account has taken that one: anyone may make files in
// /dev/shm, and only their owner may remove them. Cut if it has more than kFolderBytes - 1 bytes.
void put_folder_path(char (&to)[kFolderBytes]);

// Whether the folder of this descriptor belongs to this account alone: another one's could give us a file that ends under our feet.
bool is_ours_alone(int folder);

// Locks belong to the open file, so that a child that executes another program does not keep them (F_OFD_SETLK).
bool take_lock(int file);
// By another open file. True when it cannot be found out.
bool is_locked(int file);

}  // namespace dpm::monitor
