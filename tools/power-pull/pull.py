#!/usr/bin/env python3
"""Cuts the power under a ledger that is written to, and counts what was acknowledged and is gone.

A virtual machine holds a kernel, busybox and `power-writer`, which writes into a ledger on an ext4 disk and prints a line for
each step that was acknowledged. At a random instant the machine is killed, and with it everything its kernel had not yet
written to the disk. `power-writer` then verifies what is on the disk and prints it, that is compared with what was printed
before, and the machine starts again on the same disk.

Needs Debian's packages qemu-system-x86, busybox-static, e2fsprogs and binutils, and the kernel that kernel.sh, beside this
file, fetches. Ends with 1 when anything acknowledged is lost, or the control lost nothing.
"""

import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent

# What the kernel keeps outside itself, of what a virtual disk and ext4 may need.
MODULES = re.compile(r"/(virtio(_ring|_pci|_pci_modern_dev|_pci_legacy_dev|_blk)?|crc16|crc32c[a-z_-]*|libcrc32c|mbcache|jbd2|ext4)\.ko$")

# A ledger that grows makes each start slower; what a cut can break does not depend on its age.
PULLS_PER_DISK = 10
DISK_BYTES = 256 << 20
# The longest between a start and the first acknowledgement. An emulated machine is slow.
START_SECONDS_MAX = 240
# The power is cut so long after the first acknowledgement.
CUT_SECONDS = (0.0, 2.5)

STEP = re.compile(rb"^(ACK|FORGETTING|FORGOT) (\d+) (\d+) (\d+)\r?$", re.MULTILINE)
HELD = re.compile(rb"^HELD (\d+) (\d+) ([\d,-]+)\r?$", re.MULTILINE)


class Archive:
    """A cpio archive in the form the kernel unpacks at its start."""

    def __init__(self):
        self.parts = []

    def add(self, name, mode, content=b""):
        fields = [len(self.parts) + 1, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
        pad = lambda data: data + b"\0" * (-len(data) % 4)
        self.parts.append(pad(head) + pad(content))

    def folder(self, name):
        self.add(name, 0o040755)

    def file(self, name, path):
        self.add(name, 0o100755, pathlib.Path(path).read_bytes())

    def finish(self):
        # Not compressed: an emulated machine unpacks slowly.
        self.add("TRAILER!!!", 0)
        return b"".join(self.parts)


def libraries(program):
    """The shared libraries a program is started with, by the path it looks for each at."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return sorted(set(re.findall(r"(/\S+) \(0x", listed)))


def pack(program, kernel_root, folder):
    """Writes the archive of the machine's first files; its path, and the kernel's."""
    stripped = folder / "power-writer"
    subprocess.run(["strip", "-o", stripped, program], check=True)
    archive = Archive()
    for name in ["bin", "modules", "disk", "proc", "sys", "dev"]:
        archive.folder(name)
    made = set()
    for library in libraries(stripped):
        for parent in reversed(pathlib.PurePosixPath(library).parents[:-1]):
            if str(parent) not in made:
                made.add(str(parent))
                archive.folder(str(parent)[1:])
        archive.file(library[1:], library)
    archive.file("init", HERE / "init")
    archive.file("bin/busybox", shutil.which("busybox"))
    archive.file("bin/power-writer", stripped)
    for module in sorted(kernel_root.glob("lib/modules/**/*.ko")):
        if MODULES.search(str(module)):
            archive.file(f"modules/{module.name}", module)
    packed = folder / "init.cpio"
    packed.write_bytes(archive.finish())
    [kernel] = kernel_root.glob("boot/vmlinuz-*")
    return packed, kernel


class Machine:
    def __init__(self, program, packed, kernel, disk):
        self.program, self.packed, self.kernel, self.disk = program, packed, kernel, disk

    def start(self, pull, setting):
        line = f"console=ttyS0 quiet loglevel=1 panic=-1 pull={pull} setting={setting}"
        drive = f"file={self.disk},format=raw,if=virtio,cache=writeback"
        command = ["qemu-system-x86_64", "-m", "512", "-smp", "1", "-nographic", "-no-reboot", "-net", "none", "-monitor", "none"]
        command += ["-kernel", str(self.kernel), "-initrd", str(self.packed), "-drive", drive, "-append", line]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def write_and_cut(self, pull, setting, chance):
        """What the machine said until it was killed."""
        machine = self.start(pull, setting)
        os.set_blocking(machine.stdout.fileno(), False)
        said, began, cut_at = b"", time.monotonic(), None
        while cut_at is None or time.monotonic() < cut_at:
            said += machine.stdout.read() or b""
            if cut_at is None and b"\nACK " in said:
                cut_at = time.monotonic() + chance.uniform(*CUT_SECONDS)
            if machine.poll() is not None or (cut_at is None and time.monotonic() - began > START_SECONDS_MAX):
                break
            time.sleep(0.005)
        ended = machine.poll() is not None
        machine.send_signal(signal.SIGKILL)
        machine.wait()
        said += machine.stdout.read() or b""
        if cut_at is None or ended:
            sys.exit(f"the machine ended by itself or acknowledged nothing; it last said:\n{said[-2000:].decode(errors='replace')}")
        # A line cut short was not said.
        return said[: said.rfind(b"\n") + 1]

    def verify(self):
        """What the program finds on the disk. It runs here: starting the machine again is most of a pull's time, and the kernel has
        the disk as it was left at the next pull. The file system's journal is replayed as the kernel would, on a copy."""
        with tempfile.TemporaryDirectory(prefix="power-pull-") as name:
            folder = pathlib.Path(name)
            copy = folder / "disk.img"
            subprocess.run(["cp", "--sparse=always", self.disk, copy], check=True)
            checked = subprocess.run(["e2fsck", "-fy", copy], capture_output=True, check=False)
            # 1 says that something was mended; a journal replayed is all there may be to mend.
            if checked.returncode not in (0, 1):
                return checked.stdout + checked.stderr
            subprocess.run(["debugfs", "-R", f"rdump /data {folder}", copy], capture_output=True, check=True)
            verified = subprocess.run([self.program, folder / "data", "verify"], capture_output=True, check=False)
            return verified.stdout + verified.stderr


class Expected:
    """What was said about one disk, and so what must be on it."""

    def __init__(self):
        self.acknowledged, self.forgetting, self.forgotten = set(), set(), set()

    def hear(self, said):
        sets = {b"ACK": self.acknowledged, b"FORGETTING": self.forgetting, b"FORGOT": self.forgotten}
        for what, *message in STEP.findall(said):
            sets[what].add(tuple(map(int, message)))
        return sum(1 for what, *_ in STEP.findall(said) if what == b"ACK")

    def compare(self, said):
        """Messages lost, forgotten ones that came back, and whether anything else is wrong."""
        held = {(int(pull), int(writer), number) for pull, writer, ranges in HELD.findall(said) for number in numbers(ranges)}
        # Whether a forgetting that was not acknowledged took place, nobody promised.
        lost = self.acknowledged - self.forgetting - held
        returned = self.forgotten & held
        # Of each writer one message may have been kept and not yet acknowledged.
        unasked = held - self.acknowledged
        one_each = len({(pull, writer) for pull, writer, _ in unasked}) == len(unasked)
        sound = b"VERIFIED ok" in said and b"DAMAGE" not in said and b"panicked" not in said and one_each
        # Told once, not at every later pull on the same disk.
        self.acknowledged = (self.acknowledged | held) - lost - returned
        self.forgotten -= returned
        return lost, returned, sound


def numbers(ranges):
    for part in ranges.decode().split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def pull_many(machine, pulls, setting, chance):
    """Counts over all pulls: acknowledged, lost, returned, unsound; and pulls that lost something."""
    totals = {"acknowledged": 0, "forgotten": 0, "lost": 0, "returned": 0, "unsound": 0, "pulls that lost": 0}
    expected, fresh = Expected(), True
    for pull in range(pulls):
        if pull % PULLS_PER_DISK == 0 or fresh:
            if pull:
                print(f"{pull} of {pulls} pulls: {tell(totals)}", flush=True)
            with open(machine.disk, "wb") as disk:
                disk.truncate(DISK_BYTES)
            subprocess.run(["mkfs.ext4", "-q", "-F", machine.disk], check=True)
            expected, fresh = Expected(), False
        before = len(expected.forgotten)
        totals["acknowledged"] += expected.hear(machine.write_and_cut(pull, setting, chance))
        totals["forgotten"] += len(expected.forgotten) - before
        said = machine.verify()
        lost, returned, sound = expected.compare(said)
        totals["lost"] += len(lost)
        totals["returned"] += len(returned)
        totals["unsound"] += not sound
        totals["pulls that lost"] += bool(lost or returned or not sound)
        if lost or returned or not sound:
            print(f"pull {pull} {setting}: lost {sorted(lost)}, returned {sorted(returned)}, sound {sound}; what is there:", flush=True)
            print(said[-1500:].decode(errors="replace"), flush=True)
        fresh = not sound
    print(f"power: synchronous={setting}, {pulls} pulls: {tell(totals)}", flush=True)
    return totals


def tell(totals):
    return ", ".join(f"{name} {count}" for name, count in totals.items())


def main():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--program", type=pathlib.Path, required=True, help="the built `power-writer`")
    reader.add_argument("--kernel-root", type=pathlib.Path, required=True, help="where a kernel package is unpacked, as kernel.sh prints")
    reader.add_argument("--pulls", type=int, default=20)
    reader.add_argument("--control", type=int, default=3, help="pulls with synchronous=NORMAL, which must lose")
    reader.add_argument("--seed", type=int, default=20261130, help="of the instants at which the power is cut")
    options = reader.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="power-pull-") as name:
        folder = pathlib.Path(name)
        packed, kernel = pack(options.program, options.kernel_root, folder)
        machine = Machine(options.program, packed, kernel, folder / "disk.img")
        full = pull_many(machine, options.pulls, "full", chance)
        control = pull_many(machine, options.control, "normal", chance)
    failed = full["lost"] + full["returned"] + full["unsound"]
    if failed:
        print("power-pull: what was acknowledged did not survive", file=sys.stderr)
    if options.control and not control["pulls that lost"]:
        print("power-pull: the control lost nothing, so these pulls show nothing", file=sys.stderr)
    sys.exit(bool(failed or (options.control and not control["pulls that lost"])))


if __name__ == "__main__":
    main()
