// WASI declares flock(), but does not have it. It fails here; files::atomic then works without locks.

#include <cerrno>
#include <sys/file.h>

extern "C" int flock(int, int) {
  errno = ENOSYS;
  return -1;
}
