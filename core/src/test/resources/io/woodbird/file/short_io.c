/* Reads and writes that transfer a third of what they are asked for, in files of one folder. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static long shortened;

static size_t some(int fd, size_t count) {
  const char *folder = getenv("WOODBIRD_SHORT");
  char name[64];
  char path[4096];
  if (folder == NULL || count < 2) {
    return count;
  }
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(name, path, sizeof path);
  if (length < (ssize_t)strlen(folder) || strncmp(path, folder, strlen(folder)) != 0) {
    return count;
  }
  __atomic_add_fetch(&shortened, 1, __ATOMIC_RELAXED);
  return (count + 2) / 3;
}

ssize_t read(int fd, void *to, size_t count) { return syscall(SYS_read, fd, to, some(fd, count)); }

ssize_t write(int fd, const void *from, size_t count) {
  return syscall(SYS_write, fd, from, some(fd, count));
}

ssize_t pread64(int fd, void *to, size_t count, off_t at) {
  return syscall(SYS_pread64, fd, to, some(fd, count), at);
}

ssize_t pwrite64(int fd, const void *from, size_t count, off_t at) {
  return syscall(SYS_pwrite64, fd, from, some(fd, count), at);
}

ssize_t pread(int fd, void *to, size_t count, off_t at) { return pread64(fd, to, count, at); }

ssize_t pwrite(int fd, const void *from, size_t count, off_t at) {
  return pwrite64(fd, from, count, at);
}

__attribute__((destructor)) static void tell(void) { dprintf(1, "shortened %ld\n", shortened); }
