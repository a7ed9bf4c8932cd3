"""Rights that a process gives up before it runs a student's code. Standard library only.

Each function takes something away for good, needs no privileges, and raises OSError where the
system cannot do it. All are for Linux, except `limit`, which any Unix has.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import re
import resource
import signal
import struct
from functools import cache

NOBODY = 65534
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 4, 36, 38
PR_GET_TID_ADDRESS, MADV_COLLAPSE = 40, 25
CLONE_THREAD, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID = 0x10000, 1 << 27, 1 << 28, 1 << 29
CLONE_CHILD_CLEARTID, CLONE_CHILD_SETTID = 0x200000, 0x1000000
OBJECTS = re.compile(r"^(\w+)-(\w+) rw-p \S+ \S+ 0 *(?:\[heap\])?$", re.MULTILINE)

_libc = ctypes.PyDLL(None, use_errno=True)  # keeps the interpreter's lock, as `fork_apart` must


def _call(name: str, *args) -> int:
    """Call a function of the C library; -1 becomes an OSError that names it."""
    words = (ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args)
    result = getattr(_libc, name)(*words)
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process (prctl(2))."""
    _call("prctl", option, value, 0, 0, 0)


def limit(which: str, value: int) -> None:
    """Set a resource limit (setrlimit(2)), never above the one that holds already."""
    number = getattr(resource, f"RLIMIT_{which}")
    hard = resource.getrlimit(number)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(number, (value, value))


def drop_root(must_read: list[str]) -> bool:
    """Become the user nobody, unless these paths are closed to it (an interpreter in /root)."""
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    readable = all(os.access(path, os.R_OK | os.X_OK, effective_ids=True) for path in must_read)
    os.seteuid(0)
    if readable:
        os.setresuid(NOBODY, NOBODY, NOBODY)
    return readable


def drop_capabilities() -> None:
    """Give up every capability: without them, root is a user who owns many files."""
    _call("capset", struct.pack("Ii", 0x20080522, 0), bytes(24))


def fork_apart() -> int:
    """Fork a process with one thread, as `os.fork` does; the child has its own processes, shared
    memory and user. It is nobody there, and the first process: all that it starts dies with it.

    One call of the kernel: to leave the namespaces first would take a second fork, and each copies
    the page tables of all that is imported.
    """
    number = CLONE[_machine()[1]]
    word = ctypes.c_long(0)  # where the C library keeps the thread's number, as its fork says too
    flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC | signal.SIGCHLD
    with contextlib.suppress(OSError):  # not every kernel tells
        _call("prctl", PR_GET_TID_ADDRESS, ctypes.addressof(word), 0, 0, 0)
        flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID
    python = ctypes.pythonapi
    python.PyOS_BeforeFork()
    try:
        child = _call("syscall", number, flags, 0, 0, word.value, word.value)
    except OSError:
        python.PyOS_AfterFork_Parent()
        raise
    python.PyOS_AfterFork_Parent() if child else python.PyOS_AfterFork_Child()
    return child


def collapse(maps) -> None:
    """Move the memory in which this process keeps its objects to large pages, its heap and what
    Python has mapped beside it: a fork copies an entry for each page, and its end removes it again.
    Where the system cannot do it, all stays as it is.

    Args:
        maps: an open ``/proc/self/maps``.
    """
    maps.seek(0)
    for first, last in OBJECTS.findall(maps.read()):
        start, end = int(first, 16), int(last, 16)
        with contextlib.suppress(OSError):
            _call("madvise", start, end - start, MADV_COLLAPSE)


# --------------------------------------------------------------------- Landlock: files, network

SYS_LANDLOCK = 444  # create_ruleset; add_rule and restrict_self are the next two numbers
WRITE_FILE, READ_FILE, READ_DIR = 1 << 1, 1 << 2, 1 << 3


def landlock(readable: list[str]) -> None:
    """Allow reading these paths and what lies below them; no other file, no TCP, no signals out.

    Landlock (docs.kernel.org/userspace-api/landlock.html) forbids the kinds of access that a
    ruleset handles. Ours handles all that the kernel's version of it knows.
    """
    version = _call("syscall", SYS_LANDLOCK, None, 0, 1)
    files = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    network, scopes = 0b11, 0b11  # bind and connect; abstract sockets and signals
    size = 8 if version < 4 else 16 if version < 6 else 24
    handled = struct.pack("QQQ", files, network, scopes)[:size]
    ruleset = _call("syscall", SYS_LANDLOCK, handled, size, 0)
    for path in readable:
        _allow(ruleset, path, READ_FILE | READ_DIR if os.path.isdir(path) else READ_FILE)
    _allow(ruleset, "/dev/null", READ_FILE | WRITE_FILE)
    _call("syscall", SYS_LANDLOCK + 2, ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    target = os.open(path, os.O_PATH | os.O_CLOEXEC)
    _call("syscall", SYS_LANDLOCK + 1, ruleset, 1, struct.pack("=Qi", rights, target), 0)
    os.close(target)


# ---------------------------------------------------------------- seccomp: which calls are made

PR_SET_SECCOMP, FILTER = 22, 2
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}

# name:number on x86_64:number on aarch64. Computing, reading, writing to what is open already.
ALLOWED = """
read:0:63 write:1:64 readv:19:65 writev:20:66 pread64:17:67 pwrite64:18:68 preadv:295:69
pwritev:296:70 lseek:8:62 open:2:- openat:257:56 close:3:57 close_range:436:436 stat:4:-
fstat:5:80 lstat:6:- newfstatat:262:79 statx:332:291 access:21:- faccessat:269:48
faccessat2:439:439 readlink:89:- readlinkat:267:78 getcwd:79:17 getdents64:217:61
fadvise64:221:223 mmap:9:222 mprotect:10:226 munmap:11:215 mremap:25:216 madvise:28:233
brk:12:214 mincore:27:232 msync:26:227 membarrier:324:283 rt_sigaction:13:134
rt_sigprocmask:14:135 rt_sigreturn:15:139 sigaltstack:131:132 restart_syscall:219:128
futex:202:98 set_robust_list:273:99 set_tid_address:218:96 rseq:334:293 sched_yield:24:124
sched_getaffinity:204:123 getpid:39:172 gettid:186:178 getppid:110:173 getuid:102:174
geteuid:107:175 getgid:104:176 getegid:108:177 getpgid:121:155 getpgrp:111:- getsid:124:156
getgroups:115:158 getrlimit:97:163 getrusage:98:165 times:100:153 uname:63:160
sysinfo:99:179 getrandom:318:278 clock_gettime:228:113 clock_getres:229:114
clock_nanosleep:230:115 nanosleep:35:101 gettimeofday:96:169 time:201:- dup:32:23 dup2:33:-
dup3:292:24 pipe:22:- pipe2:293:59 poll:7:- ppoll:271:73 select:23:- pselect6:270:72
epoll_create1:291:20 epoll_ctl:233:21 epoll_wait:232:- epoll_pwait:281:22 eventfd2:290:19
arch_prctl:158:- exit:60:93 exit_group:231:94
"""

# Allowed for some values of one argument: number on both machines, argument, values.
DEPENDS = {
    "ioctl": (16, 29, 1, (0x5401, 0x5413, 0x5450, 0x5451)),  # is it a terminal; close-on-exec
    "fcntl": (72, 25, 1, (0, 1, 2, 3, 4, 1030, 1034)),  # not F_SETOWN, which sends signals
    "prctl": (157, 167, 0, (15, 16, 0x53564D41)),  # names of threads and of memory
    "prlimit64": (302, 261, 0, (0,)),  # its own limits
}
CLONE, CLONE3, TGKILL = (56, 220), (435, 435), (234, 131)

STEP = struct.Struct("HBBI")
LOAD, IF_EQUAL, IF_ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, DENY, KILL = 0x7FFF0000, 0x50000 | errno.EPERM, 0x80000000
ABSENT = 0x50000 | errno.ENOSYS


def seccomp() -> None:
    """Refuse every system call that is not in the tables above with "operation not permitted".

    No process can be started, no signal sent to another one, no socket made. Threads work.
    """
    always, column = filters()
    steps = _depends(TGKILL[column], 0, IF_EQUAL, [os.getpid()])  # abort() signals itself
    program = b"".join([always, *steps, _step(RETURN, DENY)])
    buffer = ctypes.create_string_buffer(program)
    header = struct.pack("HP", len(program) // STEP.size, ctypes.addressof(buffer))
    _call("prctl", PR_SET_SECCOMP, FILTER, header, 0, 0)


@cache
def filters() -> tuple[bytes, int]:
    """The part of the filter that is the same in all processes, and the column of this machine."""
    machine, column = _machine()
    steps = [_step(LOAD, 4), _step(IF_EQUAL, machine, 1, 0), _step(RETURN, KILL), _step(LOAD, 0)]
    for entry in ALLOWED.split():
        number = entry.split(":")[1 + column]
        if number != "-":
            steps += [_step(IF_EQUAL, int(number), 0, 1), _step(RETURN, ALLOW)]
    for *numbers, argument, values in DEPENDS.values():
        steps += _depends(numbers[column], argument, IF_EQUAL, values)
    steps += _depends(CLONE[column], 0, IF_ANY_BIT, [CLONE_THREAD])  # a thread, not a process
    # The C library falls back to clone, whose flags a filter can see, when clone3 is not there.
    steps += [_step(IF_EQUAL, CLONE3[column], 0, 1), _step(RETURN, ABSENT)]
    return b"".join(steps), column


def _machine() -> tuple[int, int]:
    """Return the kernel's number of this machine, and its column in the tables above."""
    if platform.machine() not in MACHINES:
        raise OSError(errno.ENOSYS, f"no table of system calls for {platform.machine()}")
    return MACHINES[platform.machine()]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One instruction of the kernel's packet filter; jumps say how many instructions to skip."""
    return STEP.pack(code, if_true, if_false, value)


def _depends(number: int, argument: int, test: int, values) -> list[bytes]:
    """Allow call ``number`` when the low word of its argument passes the test for one value."""
    body = [_step(LOAD, 16 + 8 * argument)]
    for value in values:
        body += [_step(test, value, 0, 1), _step(RETURN, ALLOW)]
    body.append(_step(RETURN, DENY))
    return [_step(IF_EQUAL, number, 0, len(body)), *body]
